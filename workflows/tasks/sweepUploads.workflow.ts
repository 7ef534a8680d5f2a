import type { Workflow } from '../engine/engine.port.ts'

export interface SweepUploadsActivities {
  /** Removes uploaded pictures that no task has used for a day. */
  sweepUploads(input: unknown): Promise<void>
}

export const sweepUploads: Workflow<SweepUploadsActivities, unknown> = (ctx, input) =>
  ctx.activities.sweepUploads(input)
