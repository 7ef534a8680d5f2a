/** The behaviour of the header and the footer on every page, without a framework. */
import { pageLocale, translate } from '../../i18n/client.ts'
import { type Locale, localeOf } from '../../i18n/core.ts'
import { inLanguage, languageSwitch, rememberLanguage } from '../../i18n/language.ts'
import { lazyToast } from '../../ui/lazyToast.ts'

const signedIn = () => document.documentElement.dataset.session === 'in'
const languageLinks = () => document.querySelectorAll<HTMLAnchorElement>('a[data-language]')

/** Marks the language being loaded and prefetches its page. */
function markLanguage(language: Locale | undefined): void {
  for (const link of languageLinks()) {
    if (link.dataset.language === language) link.ariaBusy = 'true'
    else link.removeAttribute('aria-busy')
  }
  if (language === undefined) return
  const page = Object.assign(document.createElement('link'), { rel: 'prefetch', href: inLanguage(location, language) })
  document.head.append(page)
}

const switchLanguage = languageSwitch({
  // Only signed-in users get here, and their header has loaded `account.ts` already.
  save: async (language) => (await import('./account.ts')).saveAccountLanguage(language),
  remember: rememberLanguage,
  go: (language) => location.assign(inLanguage(location, language)),
  mark: markLanguage,
  // If the session has ended, the session handler informs the user.
  failed: () => signedIn() && void lazyToast('danger', translate()('common.session.languageFailed')),
})

/** Makes the language links store the choice, on the account too, and keep the page's query and anchor. */
export function setUpLanguageLinks(): void {
  for (const link of languageLinks()) {
    link.addEventListener('click', (event) => {
      const language = localeOf(link.dataset.language)
      if (language !== pageLocale() && signedIn()) {
        event.preventDefault()
        void switchLanguage(language)
        return
      }
      rememberLanguage(language)
      if (language !== pageLocale()) link.href = inLanguage(location, language)
    })
  }
}

/** Makes the logo scroll to the top of the landing page. */
export function setUpLogo(): void {
  document.querySelector('a[data-top]')?.addEventListener('click', (event) => {
    event.preventDefault()
    scrollTo({ top: 0 })
  })
}

/** Opens and closes the menu on narrow screens. */
export function setUpDrawer(): void {
  const drawer = document.querySelector<HTMLDialogElement>('#drawer')
  if (!drawer) return
  document.querySelector('[data-open-drawer]')?.addEventListener('click', () => drawer.showModal())
  drawer.addEventListener('click', (event) => {
    const target = event.target as HTMLElement
    if (target === drawer || target.closest('a, [data-close-drawer]')) drawer.close()
  })
  matchMedia('(min-width: 768px)').addEventListener('change', (query) => query.matches && drawer.close())
}

// A plain fetch: the typed client and its contracts would add to every page's script.
async function supportAddress(): Promise<string | undefined> {
  const answer = await fetch('/api/v1/status').catch(() => undefined)
  if (!answer?.ok) return undefined
  const { support_email } = (await answer.json()) as { support_email?: string }
  return support_email
}

/** Loads the contact address when the popover first opens. */
export function setUpContact(): void {
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
