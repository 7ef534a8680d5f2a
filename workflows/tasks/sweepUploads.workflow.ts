import type { NoInput, Workflow } from '../engine/engine.port.ts'

export interface SweepUploadsActivities {
  /** Removes uploaded pictures that no task has used for a day. */
  sweepUploads(input: NoInput): Promise<void>
}

export const sweepUploads: Workflow<SweepUploadsActivities> = {
  type: 'sweepUploads',
  run: (ctx, input) => ctx.activities.sweepUploads(input),
}
