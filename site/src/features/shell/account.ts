/** What the header of a signed-in reader needs; only their pages load it. */

import { $credits, loadCredits } from '../../api/credits.ts'
import { displayName } from '../../api/hint.ts'
import { $session, signOut, startSession } from '../../api/session.ts'

export { keepLanguage } from '../../api/session.ts'

const all = (selector: string) => document.querySelectorAll<HTMLElement>(selector)

function put(name: string, text: string): void {
  for (const node of all(`[data-user="${name}"]`)) node.textContent = text
}

/** A balance that cannot be read is only logged: it is looked at again on the next page. */
function showNoCredits(error: unknown): void {
  console.warn('The credit balance could not be read', error)
  put('credits', '0')
}

/** Shows who is signed in and what they have, as soon as it is known. */
export async function followSession(): Promise<void> {
  $session.subscribe((session) => {
    if (session.status !== 'in') return
    const name = displayName(session.user)
    const { email } = session.user
    put('name', name)
    put('initial', name.slice(0, 1).toUpperCase())
    put('email', email.length > 15 ? `${email.slice(0, 15)}…` : email)
  })
  $credits.subscribe((credits) => {
    if (credits) put('credits', credits.remaining.toLocaleString(document.documentElement.lang))
  })
  for (const button of all('[data-logout]')) button.addEventListener('click', () => void signOut())
  const session = await startSession()
  // Private pages read the balance themselves.
  if (session.status === 'in' && !document.body.hasAttribute('data-private')) await loadCredits().catch(showNoCredits)
}
