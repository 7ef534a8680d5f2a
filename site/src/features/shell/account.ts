/** Header logic for signed-in users. Loaded only if a user may be signed in. */

import { $credits, loadBalance } from '../../api/credits.ts'
import { displayName } from '../../api/hint.ts'
import { onRestored } from '../../api/pages/restored.ts'
import { $session, saveAccountLanguage, startSession } from '../../api/session.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import type { Locale } from '../../i18n/core.ts'
import { firstCharacters } from '../../i18n/firstCharacters.ts'
import { inLanguage, languageSwitch, rememberLanguage } from '../../i18n/language.ts'
import { typedKey } from '../../ui/keys/typedKey.ts'
import { ignoreSecondClicks } from '../../ui/secondClicks.ts'
import { offerReload } from '../../ui/toasts/offerReload.ts'
import { showToast } from '../../ui/toasts/toasts.ts'

export { signOut } from '../../api/session.ts'

const all = (selector: string) => document.querySelectorAll<HTMLElement>(selector)

function setUserText(name: string, text: string): void {
  for (const node of all(`[data-user="${name}"]`)) node.textContent = text
}

/** Shows the user and the credit balance in the header as soon as each is known. */
export async function showSession(): Promise<void> {
  ignoreSecondClicks()
  $session.subscribe((session) => {
    if (session.status !== 'in') return
    for (const node of all('[data-suspended]')) node.hidden = !session.user.suspended
    const name = displayName(session.user)
    const { email } = session.user
    setUserText('name', name)
    setUserText('initial', firstCharacters(name, 1).toUpperCase())
    setUserText('email', email.length > 15 ? `${firstCharacters(email, 15)}…` : email)
  })
  $credits.subscribe((credits) => {
    if (credits) setUserText('credits', credits.remaining.toLocaleString(document.documentElement.lang))
  })
  const session = await startSession()
  if (session.status !== 'in') return
  setUpPalette()
  onRestored(() => void loadBalance())
  // Private pages load the balance themselves.
  if (!document.body.hasAttribute('data-private')) await loadBalance()
}

/** Opens the command palette by Ctrl+K, or by its button. It is loaded on its first use. */
function setUpPalette(): void {
  const open = () => void import('./palette/palette.ts').then(({ openPalette }) => openPalette(), offerReload)
  for (const button of all('[data-palette]')) button.addEventListener('click', open)
  document.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || typedKey(event)?.toLowerCase() !== 'k')
      return
    event.preventDefault()
    open()
  })
}

/** Marks the selected language link as busy and prefetches the page in that language. */
function markLanguage(language: Locale | undefined): void {
  for (const link of all('a[data-language]')) {
    if (link.dataset.language === language) link.ariaBusy = 'true'
    else link.removeAttribute('aria-busy')
  }
  if (language === undefined) return
  const page = Object.assign(document.createElement('link'), { rel: 'prefetch', href: inLanguage(location, language) })
  document.head.append(page)
}

/** Saves the language to the account, and opens the page in that language. */
export const switchLanguage = languageSwitch({
  save: saveAccountLanguage,
  remember: rememberLanguage,
  go: (language) => language !== pageLocale() && location.assign(inLanguage(location, language)),
  mark: markLanguage,
  failed: () => {
    // If the session has expired, the session handler shows its own message.
    if ($session.get().status === 'in') showToast('danger', translate()('common.session.languageFailed'))
  },
})
