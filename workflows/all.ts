import { accountPolicies } from './accounts/accountPolicies.ts'
import { deliverMail } from './accounts/deliverMail.workflow.ts'
import { eraseAccount } from './accounts/eraseAccount.workflow.ts'
import type { AllActivities } from './activities.ts'
import { sweepVisits } from './analytics/sweepVisits.workflow.ts'
import { grantAllowances } from './credits/grantAllowances.workflow.ts'
import { runBulk } from './desk/runBulk.workflow.ts'
import type { AnyWorkflow, Policies } from './engine/engine.port.ts'
import { bookkeeping } from './engine/policies.ts'
import { issueInvoices } from './invoices/issueInvoices.workflow.ts'
import { processWebhook } from './subscriptions/processWebhook.workflow.ts'
import { reconcile } from './subscriptions/reconcile.workflow.ts'
import { runSubscriptionLifecycle } from './subscriptions/runSubscriptionLifecycle.workflow.ts'
import { subscriptionPolicies } from './subscriptions/subscriptionPolicies.ts'
import { generateVideo } from './tasks/generateVideo.workflow.ts'
import { recoverVideo } from './tasks/recoverVideo.workflow.ts'
import { removeMedia } from './tasks/removeMedia.workflow.ts'
import { sweepHolds } from './tasks/sweepHolds.workflow.ts'
import { sweepUploads } from './tasks/sweepUploads.workflow.ts'
import { taskPolicies } from './tasks/taskPolicies.ts'

export const WORKFLOWS: readonly AnyWorkflow[] = [
  generateVideo,
  recoverVideo,
  removeMedia,
  sweepHolds,
  sweepUploads,
  sweepVisits,
  deliverMail,
  eraseAccount,
  runSubscriptionLifecycle,
  processWebhook,
  reconcile,
  grantAllowances,
  issueInvoices,
  runBulk,
]

export const POLICIES: Policies<keyof AllActivities> = {
  ...taskPolicies,
  ...accountPolicies,
  ...subscriptionPolicies,
  grantAllowances: { ...bookkeeping, timeoutMs: 10 * 60_000, attempts: 1 },
  issueInvoices: { ...bookkeeping, timeoutMs: 10 * 60_000 },
  runBulkPart: { ...bookkeeping, timeoutMs: 10 * 60_000 },
  sweepVisits: { ...bookkeeping, timeoutMs: 10 * 60_000, attempts: 1 },
}
