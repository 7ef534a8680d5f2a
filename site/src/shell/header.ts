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

// Every page has a footer, so this one call is made without the client and its contracts.
async function supportAddress(): Promise<string | undefined> {
  const answer = await fetch('/api/v1/status').catch(() => undefined)
  if (!answer?.ok) return undefined
  const { support_email } = (await answer.json()) as { support_email?: string }
  return support_email
}

/** Asks for the contact address when somebody wants it. */
export function followContact(): void {
  const popover = document.querySelector<HTMLElement>('#contact')
  popover?.addEventListener(
    'beforetoggle',
    async () => {
      const email = await supportAddress()
      const link = popover.querySelector<HTMLAnchorElement>('[data-contact]')
      if (!link || !email) return
      link.textContent = email
      link.href = `mailto:${email}`
      popover.dataset.known = ''
    },
    { once: true },
  )
}
