/** Deleted with the drafts (see `forgetDrafts`). */
const KEY = 'kinora.draft.next'
const KEPT_MS = 3_600_000

/** Keeps the page to open after the next sign-in. */
export function keepNext(page: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ page, until: Date.now() + KEPT_MS }))
  } catch {
    // Storage is unavailable: the sign-in opens the workspace.
  }
}

/** Returns the page that was kept in the last hour, and forgets it. */
export function takeNext(): string | null {
  try {
    const { page, until } = JSON.parse(localStorage.getItem(KEY) ?? '{}') as { page?: unknown; until?: number }
    localStorage.removeItem(KEY)
    return typeof page === 'string' && until !== undefined && Date.now() < until ? page : null
  } catch {
    return null
  }
}
