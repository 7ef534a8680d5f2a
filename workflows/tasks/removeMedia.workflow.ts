import type { Workflow } from '../engine/engine.port.ts'

type Input = { readonly taskId: string }

export interface RemoveMediaActivities {
  /** Removes the files of a deleted task. Throws while the media store is unavailable. */
  removeMedia(input: Input): Promise<void>
}

/** Removes the files of a deleted task, whose owner does not wait for the media store. */
export const removeMedia: Workflow<RemoveMediaActivities, Input> = {
  type: 'removeMedia',
  id: ({ taskId }) => `remove-media-${taskId}`,
  run: (ctx, input) => ctx.activities.removeMedia(input),
}
