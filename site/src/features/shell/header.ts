/** The header's behaviour on every page, without a framework. */
import { pageLocale, translate } from '../../i18n/client.ts'
import { type Locale, localeOf } from '../../i18n/core.ts'
import { inLanguage, languageSwitch, rememberLanguage } from '../../i18n/language.ts'
import { lazyToast } from '../../ui/lazyToast.ts'

const signedIn = () => document.documentElement.dataset.session === 'in'
const languageLinks = () => document.querySelectorAll<HTMLAnchorElement>('a[data-language]')

/** Shows which language is on its way, and fetches its page meanwhile. */
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
  // The signed-in reader's part of the shell is loaded by now: visitors never get here.
  save: async (language) => (await import('./account.ts')).keepLanguage(language),
  remember: rememberLanguage,
  go: (language) => location.assign(inLanguage(location, language)),
  mark: markLanguage,
  // Who was signed out meanwhile is told that instead.
  failed: () => signedIn() && void lazyToast('danger', translate()('common.session.languageFailed')),
})

/** Remembers the chosen language, on the account too, and keeps query and anchor on the way to the same page in it. */
export function followLanguage(): void {
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

/** On the landing page the logo leads to its top. */
export function followLogo(): void {
  document.querySelector('a[data-top]')?.addEventListener('click', (event) => {
    event.preventDefault()
    scrollTo({ top: 0 })
  })
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
