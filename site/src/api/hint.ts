import type { User } from '#backend/accounts/contract.ts'

/**
 * What the browser remembers of the signed-in user, so that the header is right at the first paint.
 * It is a hint and no proof: the cookies are httpOnly, and `/auth/me` has the last word.
 */
export interface Hint {
  readonly name: string
  readonly email: string
  readonly credits: number | null
}

const KEY = 'kinora.user'

export function readHint(): Hint | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') as Hint | null
  } catch {
    return null
  }
}

/** Remembers (or forgets) the user, and marks the document for the style sheet. */
export function writeHint(hint: Hint | null): void {
  document.documentElement.dataset.session = hint ? 'in' : 'out'
  try {
    if (hint) localStorage.setItem(KEY, JSON.stringify(hint))
    else localStorage.removeItem(KEY)
  } catch {
    // Without storage the header fills a moment later; nothing else is lost.
  }
}

/** The name that greets the user: the name given, else the part of the address before the @. */
export const displayName = (user: Pick<User, 'username' | 'full_name' | 'email'>): string =>
  user.username || user.full_name || (user.email.split('@')[0] ?? '')
