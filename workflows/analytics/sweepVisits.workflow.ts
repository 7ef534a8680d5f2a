import type { NoInput, Workflow } from '../engine/engine.port.ts'

export interface SweepVisitsActivities {
  /** Truncates the IP addresses of visits after a day, and deletes visits after 90 days. */
  sweepVisits(input: NoInput): Promise<void>
}

export const sweepVisits: Workflow<SweepVisitsActivities> = {
  type: 'sweepVisits',
  run: (ctx, input) => ctx.activities.sweepVisits(input),
}
