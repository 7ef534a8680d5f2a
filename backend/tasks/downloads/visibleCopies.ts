import { createVideoCopies, type VideoCopies } from './videoCopies.ts'
import type { Labels } from './visibleLabels.ts'

interface VisibleCopiesOptions extends VideoCopies {
  readonly labels: Pick<Labels, 'isRequired'>
  /** Returns whether the user's plan requires a watermark on downloads. */
  readonly watermarks: (userId: string) => Promise<boolean>
}

type Video = Readonly<{ userId: string; taskId: string }>
/** Marks that the recipient asks for; undefined is the default of plan and policy. */
type Wish = Readonly<{ watermark?: boolean; label?: boolean | undefined }>

export type VisibleCopy = ReturnType<typeof createVisibleCopies>

/**
 * Creates a function that returns the key of a video with the marks that its owner's plan and the label policy require.
 * The function throws Rejection label_required, not_found.
 */
export function createVisibleCopies({ labels, watermarks, ...copies }: VisibleCopiesOptions) {
  const copyOf = createVideoCopies(copies)
  return async ({ userId, taskId }: Video, wish: Wish = {}): Promise<string> =>
    copyOf(taskId, {
      watermark: wish.watermark === true || (await watermarks(userId)),
      label: await labels.isRequired(userId, taskId, wish.label),
    })
}
