/** What was begun in the form and not sent yet, by user, in this browser. */
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
    // Without storage the draft lives as long as the page.
  }
}

/** Nothing that somebody wrote stays behind for the next person at this browser. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key)
  } catch {
    // There is nothing to forget.
  }
}
