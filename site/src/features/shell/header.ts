/** Header and footer behaviour of every page, without a framework. */
import { pageLocale } from '../../i18n/client.ts'
import { localeOf } from '../../i18n/core.ts'
import { inLanguage, rememberLanguage } from '../../i18n/language.ts'

const signedIn = () => document.documentElement.dataset.session === 'in'

/** Makes language links save the choice in the browser and the account, and keep the URL's query and fragment. */
export function setUpLanguageLinks(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-language]')) {
    link.addEventListener('click', (event) => {
      const language = localeOf(link.dataset.language)
      const isSwitching = document.querySelector('a[data-language][aria-busy]') !== null
      if (signedIn() && (language !== pageLocale() || isSwitching)) {
        event.preventDefault()
        // The header of signed-in users has already loaded it.
        void import('./account.ts').then(({ switchLanguage }) => switchLanguage(language))
        return
      }
      rememberLanguage(language)
      if (language !== pageLocale()) link.href = inLanguage(location, language)
    })
  }
}

/** Makes the sign-out buttons work before the rest of the account's code has loaded. */
export function setUpSignOut(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-logout]')) {
    button.addEventListener('click', () => {
      button.ariaBusy = 'true'
      // After a release, the file that this page loads is gone.
      import('./account.ts').then(
        ({ signOut }) => signOut(),
        () => location.reload(),
      )
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
