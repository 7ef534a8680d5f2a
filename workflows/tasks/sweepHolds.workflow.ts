import type { NoInput, Workflow } from '../engine/engine.port.ts'

export interface SweepHoldsActivities {
  /** Releases each hold older than 20 s whose task was never submitted. */
  sweepHolds(input: NoInput): Promise<void>
}

export const sweepHolds: Workflow<SweepHoldsActivities> = {
  type: 'sweepHolds',
  run: (ctx, input) => ctx.activities.sweepHolds(input),
}
