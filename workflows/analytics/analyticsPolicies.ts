import type { Policies } from '../engine/engine.port.ts'
import { bookkeeping } from '../engine/policies.ts'
import type { SweepVisitsActivities } from './sweepVisits.workflow.ts'

export const analyticsPolicies: Policies<keyof SweepVisitsActivities> = {
  sweepVisits: { ...bookkeeping, timeoutMs: 10 * 60_000, attempts: 1 },
}
