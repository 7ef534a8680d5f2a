/** Prefix of the `localStorage` keys of unsent forms. The user ID follows. */
const PREFIX = 'kinora.draft.'

export function readDraft(userId: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + userId) ?? 'null')
  } catch {
    return null
  }
}

export function writeDraft(userId: string, draft: object): void {
  try {
    localStorage.setItem(PREFIX + userId, JSON.stringify(draft))
  } catch {
    // Storage is unavailable: the draft is lost when the page closes.
  }
}

/** Deletes all users' drafts from this browser. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key)
  } catch {
    // Storage is unavailable, so there are no drafts.
  }
}
