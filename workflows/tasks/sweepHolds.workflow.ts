import type { NoInput, Workflow } from '../engine/engine.port.ts'

export interface SweepHoldsActivities {
  /** Gives back the credits of each hold older than 20 s whose task never came to be. */
  sweepHolds(input: NoInput): Promise<void>
}

export const sweepHolds: Workflow<SweepHoldsActivities> = {
  type: 'sweepHolds',
  run: (ctx, input) => ctx.activities.sweepHolds(input),
}
