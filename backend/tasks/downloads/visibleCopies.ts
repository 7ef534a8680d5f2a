import { createVideoCopies, type Video, type VideoCopies } from './videoCopies.ts'
import type { Labels } from './visibleLabels.ts'

interface VisibleCopiesOptions extends VideoCopies {
  readonly labels: Pick<Labels, 'isRequired'>
  /** Returns whether the user's plan requires a watermark on downloads. */
  readonly watermarks: (userId: string) => Promise<boolean>
}

/** Marks that the recipient asks for; undefined is the default of plan and policy. */
type Wish = Readonly<{ watermark?: boolean; label?: boolean | undefined }>

export type VisibleCopy = ReturnType<typeof createVisibleCopies>

/**
 * Creates a function that returns the key of a video with the marks that its owner's plan and the label policy require.
 * The function throws Rejection label_required, not_found.
 */
export function createVisibleCopies({ labels, watermarks, ...copies }: VisibleCopiesOptions) {
  const copyOf = createVideoCopies(copies)
  return async (video: Video, wish: Wish = {}): Promise<string> =>
    copyOf(video, {
      watermark: wish.watermark === true || (await watermarks(video.userId)),
      label: await labels.isRequired(video.userId, video.taskId, wish.label),
    })
}
