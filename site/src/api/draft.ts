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

/** In place of a user ID: the draft of a visitor, which the next user of this browser gets. */
const VISITOR = 'visitor'

/** Keeps a draft until its visitor has signed in. @param draft JSON */
export function keepVisitorDraft(draft: string): void {
  try {
    localStorage.setItem(PREFIX + VISITOR, draft)
  } catch {
    // Storage is unavailable: the form opens empty.
  }
}

/** Makes the visitor's draft, if there is one, the user's. */
export function adoptVisitorDraft(userId: string): void {
  try {
    const draft = localStorage.getItem(PREFIX + VISITOR)
    if (draft === null) return
    localStorage.setItem(PREFIX + userId, draft)
    localStorage.removeItem(PREFIX + VISITOR)
  } catch {
    // Storage is unavailable, so there is no draft.
  }
}

/** Written and removed when all drafts are, so that other tabs learn of it, even if there is no draft. */
const FORGOTTEN = `${PREFIX}forgotten`
const listeners = new Set<() => void>()

/** Calls `listener` when this page or another tab deletes all drafts. An open form must not be stored afterwards. */
export function onDraftsForgotten(listener: () => void): void {
  listeners.add(listener)
  addEventListener('storage', ({ key, newValue }) => key === FORGOTTEN && newValue !== null && listener())
}

/** Deletes all users' drafts from this browser. */
export function forgetDrafts(): void {
  for (const listener of listeners) listener()
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key)
    localStorage.setItem(FORGOTTEN, '1')
    localStorage.removeItem(FORGOTTEN)
  } catch {
    // Storage is unavailable, so there are no drafts.
  }
}
