const KEY = 'kinora.registered'

/**
 * Marks this browser as the one that registered an address, so that the mailed link works in it without a click.
 * See docs/decisions/0060-verification-by-a-click.md.
 */
export function markRegistered(email: string): void {
  try {
    localStorage.setItem(KEY, email.toLowerCase())
  } catch {
    // Storage is unavailable: the link asks for a click.
  }
}

/** Returns whether this browser was the last to register the address, as far as it remembers. */
export function isRegisteredHere(email: string | null): boolean {
  try {
    return email !== null && localStorage.getItem(KEY) === email.toLowerCase()
  } catch {
    return false
  }
}

export function forgetRegistered(): void {
  try {
    localStorage.removeItem(KEY)
  } catch {
    // Storage is unavailable, so there is no mark.
  }
}
