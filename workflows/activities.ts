import { type AccountActivityDeps, createAccountActivities } from './accounts/accountActivities.ts'
import type { SweepVisitsActivities } from './analytics/sweepVisits.workflow.ts'
import { type AllowanceDeps, createAllowanceActivities } from './credits/allowanceActivities.ts'
import { type BulkDeps, createBulkActivities } from './desk/bulkActivities.ts'
import type { IssueInvoicesActivities } from './invoices/issueInvoices.workflow.ts'
import { createSubscriptionActivities, type SubscriptionActivityDeps } from './subscriptions/subscriptionActivities.ts'
import { createTaskActivities } from './tasks/taskActivities.ts'
import type { ActivityDeps } from './tasks/taskCommands.ts'

type AllActivityDeps = ActivityDeps &
  AccountActivityDeps &
  SubscriptionActivityDeps &
  AllowanceDeps &
  BulkDeps &
  IssueInvoicesActivities &
  SweepVisitsActivities

/** Creates all activities, keyed by the names that policies and Temporal use. */
export const createActivities = (deps: AllActivityDeps) => ({
  ...createTaskActivities(deps),
  ...createAccountActivities(deps),
  ...createSubscriptionActivities(deps),
  ...createAllowanceActivities(deps),
  ...createBulkActivities(deps),
  issueInvoices: deps.issueInvoices,
  sweepVisits: deps.sweepVisits,
})

export type AllActivities = ReturnType<typeof createActivities>
