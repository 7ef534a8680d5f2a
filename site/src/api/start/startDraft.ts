/** What a visitor wants to do after the sign-in, kept in this browser. It is never part of an address. */
export interface StartDraft {
  readonly prompt?: string
  readonly camera_movements?: readonly string[]
  /** Plan that the visitor chose. */
  readonly plan?: string
  /** URL of a picture that a signed-in user has uploaded. */
  readonly first_frame_image_url?: string
  /** Idempotency key of the video. */
  readonly key?: string
  /** Whether a mailed link carries the draft. It may have been opened elsewhere, so this copy orders nothing. */
  readonly mailed?: boolean
}

/** Signing out deletes it, as it deletes all drafts (see `forgetDrafts`). */
const KEY = 'kinora.draft.start'

/** Page that starts the video of a draft. */
export const WITH_DRAFT = '/workspace?draft=1'
/** Page to which a visitor's choice of a plan leads. */
export const WITH_PLAN = '/profile?plan=1#subscription'

export function readLocalStart(): StartDraft | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') as StartDraft | null
  } catch {
    return null
  }
}

/** Stores the draft, or deletes it if it is null. */
export function writeLocalStart(draft: StartDraft | null): void {
  try {
    if (draft) localStorage.setItem(KEY, JSON.stringify(draft))
    else localStorage.removeItem(KEY)
  } catch {
    // Storage is unavailable: only the mailed link keeps the draft.
  }
}
