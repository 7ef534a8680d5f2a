/** The header's behaviour on every page, without a framework. */
import { pageLocale } from '../i18n/client.ts'
import { localeOf, localizedPath } from '../i18n/core.ts'

/** Remembers the chosen language, and keeps query and anchor on the way to the same page in it. */
export function followLanguage(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-language]')) {
    link.addEventListener('click', () => {
      const locale = localeOf(link.dataset.language)
      try {
        localStorage.setItem('language', locale)
      } catch {
        // The address carries the choice.
      }
      if (locale !== pageLocale())
        link.href = localizedPath(location.pathname, locale) + location.search + location.hash
    })
  }
}

/** Opens and closes the menu of narrow screens. */
export function followDrawer(): void {
  const drawer = document.querySelector<HTMLDialogElement>('#drawer')
  if (!drawer) return
  document.querySelector('[data-open-drawer]')?.addEventListener('click', () => drawer.showModal())
  drawer.addEventListener('click', (event) => {
    const target = event.target as HTMLElement
    if (target === drawer || target.closest('a, [data-close-drawer]')) drawer.close()
  })
  matchMedia('(min-width: 768px)').addEventListener('change', (query) => query.matches && drawer.close())
}

/** Asks for the contact address when somebody wants it. */
export function followContact(): void {
  const popover = document.querySelector<HTMLElement>('#contact')
  popover?.addEventListener(
    'beforetoggle',
    async () => {
      const status = await fetch('/api/v1/status')
        .then((answer) => (answer.ok ? answer.json() : {}))
        .catch(() => ({}))
      const address = popover.querySelector<HTMLAnchorElement>('[data-contact]')
      if (!address || typeof status.support_email !== 'string' || !status.support_email) return
      address.textContent = status.support_email
      address.href = `mailto:${status.support_email}`
      popover.dataset.known = ''
    },
    { once: true },
  )
}
