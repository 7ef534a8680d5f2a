import type { User } from '#backend/accounts/contract.ts'

/**
 * The signed-in user as stored in this browser, so that the header has a name and a balance at the first paint. Whether
 * there is a session is shown by the cookie `kinora_signed_in`, and decided by `/auth/me`.
 */
export interface Hint {
  readonly name: string
  readonly email: string
  readonly credits: number | null
  /** Whether the user has films, which narrow screens then show above the form. */
  readonly hasFilms?: boolean
  /** Whether the user is in a team, so that the workspace keeps the place of the choice who pays. */
  readonly inTeam?: boolean
}

const KEY = 'kinora.user'

export function readHint(): Hint | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') as Hint | null
  } catch {
    return null
  }
}

/** Stores or deletes the hint, and sets `data-session` for the style sheet. */
export function writeHint(hint: Hint | null): void {
  document.documentElement.dataset.session = hint ? 'in' : 'out'
  try {
    if (hint) localStorage.setItem(KEY, JSON.stringify(hint))
    else localStorage.removeItem(KEY)
  } catch {
    // Without storage, the header fills after the first response.
  }
}

/** Removes the cookie that tells pages about a session, in case the server does not. */
export function removeSessionMark(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: older browsers have no Cookie Store API.
  document.cookie = 'kinora_signed_in=; Max-Age=0; Path=/'
}

/** Returns the user's name, or the part of the email address before the @. */
export const displayName = (user: Pick<User, 'username' | 'full_name' | 'email'>): string =>
  user.username || user.full_name || (user.email.split('@')[0] ?? '')
