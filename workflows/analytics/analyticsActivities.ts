import type { SweepVisitsActivities } from './sweepVisits.workflow.ts'

export interface AnalyticsActivityDeps {
  readonly sweepVisits: () => Promise<void>
}

export const createAnalyticsActivities = ({ sweepVisits }: AnalyticsActivityDeps): SweepVisitsActivities => ({
  sweepVisits: () => sweepVisits(),
})
