/** Header and footer behaviour of every page, without a framework. */
import { pageLocale, translate } from '../../i18n/client.ts'
import { type Locale, localeOf } from '../../i18n/core.ts'
import { inLanguage, languageSwitch, rememberLanguage } from '../../i18n/language.ts'
import { lazyToast } from '../../ui/lazyToast.ts'

const signedIn = () => document.documentElement.dataset.session === 'in'
const languageLinks = () => document.querySelectorAll<HTMLAnchorElement>('a[data-language]')

/** Marks the selected language link as busy and prefetches the page in that language. */
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
  // Called only for signed-in users, whose header has already loaded `account.ts`.
  save: async (language) => (await import('./account.ts')).saveAccountLanguage(language),
  remember: rememberLanguage,
  go: (language) => location.assign(inLanguage(location, language)),
  mark: markLanguage,
  // If the session has expired, the session handler shows its own message.
  failed: () => signedIn() && void lazyToast('danger', translate()('common.session.languageFailed')),
})

/** Makes language links save the choice in the browser and the account, and keep the URL's query and fragment. */
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

/** On the landing page, makes the logo scroll to the top. */
export function setUpLogo(): void {
  document.querySelector('a[data-top]')?.addEventListener('click', (event) => {
    event.preventDefault()
    scrollTo({ top: 0 })
  })
}

/** Opens and closes the navigation drawer on narrow screens. */
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

// Uses plain `fetch` because the typed client and its contracts would enlarge every page's script.
async function supportAddress(): Promise<string | undefined> {
  const answer = await fetch('/api/v1/status').catch(() => undefined)
  if (!answer?.ok) return undefined
  const { support_email } = (await answer.json()) as { support_email?: string }
  return support_email
}

/** Loads the support address when the contact popover first opens. */
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
