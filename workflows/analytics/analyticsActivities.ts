import type { SweepVisitsActivities } from './sweepVisits.workflow.ts'

export type AnalyticsActivityDeps = Readonly<{ sweepVisits: () => Promise<void> }>

export const createAnalyticsActivities = ({ sweepVisits }: AnalyticsActivityDeps): SweepVisitsActivities => ({
  sweepVisits: () => sweepVisits(),
})
