const KEY = 'kinora.ended'

/** Notes in this tab that the session ended by itself, so that the login page can explain it. */
export function markEnded(): void {
  try {
    sessionStorage.setItem(KEY, '1')
  } catch {
    // Storage is unavailable: the login page explains nothing.
  }
}

/** Returns whether the session ended by itself, and removes the note. */
export function takeEndedMark(): boolean {
  try {
    const ended = sessionStorage.getItem(KEY) !== null
    sessionStorage.removeItem(KEY)
    return ended
  } catch {
    return false
  }
}
