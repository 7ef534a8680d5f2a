import { deliverMail } from '../accounts/deliverMail.workflow.ts'
import { eraseAccount } from '../accounts/eraseAccount.workflow.ts'
import { sweepVisits } from '../analytics/sweepVisits.workflow.ts'
import { grantAllowances } from '../credits/grantAllowances.workflow.ts'
import { runBulk } from '../desk/runBulk.workflow.ts'
import type { Activities, AnyWorkflow, Workflow } from '../engine/engine.port.ts'
import { issueInvoices } from '../invoices/issueInvoices.workflow.ts'
import { processWebhook } from '../subscriptions/processWebhook.workflow.ts'
import { reconcile } from '../subscriptions/reconcile.workflow.ts'
import { runSubscriptionLifecycle, SUBSCRIPTION_CHANGED } from '../subscriptions/runSubscriptionLifecycle.workflow.ts'
import { generateVideo, TURN } from '../tasks/generateVideo.workflow.ts'
import { HINT, recoverVideo } from '../tasks/recoverVideo.workflow.ts'
import { removeMedia } from '../tasks/removeMedia.workflow.ts'
import { sweepHolds } from '../tasks/sweepHolds.workflow.ts'
import { sweepUploads } from '../tasks/sweepUploads.workflow.ts'

interface Course {
  /** Successive return values of each activity. The last value repeats. */
  readonly answers?: Readonly<Record<string, readonly unknown[]>>
  readonly signals?: readonly string[]
}

/** A run whose history is recorded. */
export interface RecordedRun extends Course {
  readonly workflow: AnyWorkflow
  /** Distinguishes the runs of one workflow. */
  readonly title: string
  readonly input: never
}

const run = <I>(
  workflow: Workflow<never, I, unknown>,
  title: string,
  input: NoInfer<I>,
  course: Course = {},
): RecordedRun => ({ workflow, title, input: input as never, ...course })

const task = { taskId: 'task', userId: 'user' }
const user = { userId: 'user' }
const refused = { kind: 'failed', code: 'content_refused', detail: 'sensitive' }

/** Runs of every workflow on paths that take minutes at most. */
export const RECORDED_RUNS: readonly RecordedRun[] = [
  run(generateVideo, 'finished', task, {
    answers: { claimSlot: ['claimed'], render: [{ kind: 'finished' }] },
  }),
  run(generateVideo, 'refused after waiting', task, {
    answers: { claimSlot: ['waiting', 'claimed'], render: [refused] },
    signals: [TURN],
  }),
  run(generateVideo, 'cancelled', task, { answers: { claimSlot: ['over'] } }),
  run(recoverVideo, 'hinted', task, { answers: { recover: ['pending', 'over'] }, signals: [HINT] }),
  run(removeMedia, 'removed', { taskId: 'task' }),
  run(runSubscriptionLifecycle, 'renewed', user, {
    answers: { settleSubscription: [50, 86_400_000, null] },
    signals: [SUBSCRIPTION_CHANGED, SUBSCRIPTION_CHANGED],
  }),
  run(
    processWebhook,
    'early',
    { webhookId: 'webhook' },
    { answers: { processWebhook: ['later', 'later', 'processed'] } },
  ),
  run(eraseAccount, 'whole', user),
  run(deliverMail, 'sent', { mailId: 'mail' }),
  run(sweepHolds, 'swept', {}),
  run(sweepUploads, 'swept', {}),
  run(sweepVisits, 'swept', {}),
  run(reconcile, 'reconciled', {}),
  run(grantAllowances, 'granted', {}),
  run(runBulk, 'whole', { bulkId: 'bulk' }, { answers: { runBulkPart: [10, 20, null] } }),
  run(issueInvoices, 'issued', {}, { answers: { issueInvoices: [true, false] } }),
]

export const fileOf = ({ workflow, title }: RecordedRun): string =>
  `${workflow.type} ${title}.json`.replaceAll(' ', '-')

/** Returns activities that return the run's answers, or undefined if it has none for them. */
export function recordedActivities(names: readonly string[], { answers = {} }: RecordedRun): Activities {
  const calls = new Map<string, number>()
  const answer = (name: string) => async () => {
    const given = answers[name] ?? []
    const call = calls.get(name) ?? 0
    calls.set(name, call + 1)
    return given[Math.min(call, given.length - 1)]
  }
  return Object.fromEntries(names.map((name) => [name, answer(name)]))
}
