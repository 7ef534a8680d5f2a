import type { NoInput, Workflow } from '../engine/engine.port.ts'

export interface SweepVisitsActivities {
  /** Cuts the addresses of visits short after a day, and drops visits after 90. */
  sweepVisits(input: NoInput): Promise<void>
}

export const sweepVisits: Workflow<SweepVisitsActivities> = {
  type: 'sweepVisits',
  run: (ctx, input) => ctx.activities.sweepVisits(input),
}
