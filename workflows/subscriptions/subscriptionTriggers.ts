import { SUBSCRIPTION, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { type Starter, signalWithStart } from '../engine/engine.port.ts'
import type { LogTrigger, OpenWork } from '../engine/logTriggers.ts'
import type { RowTrigger } from '../engine/rowTriggers.ts'
import type { Start } from '../engine/starts.ts'
import { processWebhook } from './processWebhook.workflow.ts'
import { runSubscriptionLifecycle, SUBSCRIPTION_CHANGED } from './runSubscriptionLifecycle.workflow.ts'

/** Signals a user's subscription workflow to read the log again. Starts the workflow if it is not running. */
export const wakeSubscription = (engine: Starter, userId: string): Promise<void> =>
  signalWithStart(engine, runSubscriptionLifecycle, { userId }, SUBSCRIPTION_CHANGED)

const wake = (userId: string): Start => ({
  entity: userId,
  priority: 1,
  run: (engine) => wakeSubscription(engine, userId),
})

/** Wakes a subscription's workflow on each of its events. */
export const subscriptionTrigger = (
  readOpenWork: () => Promise<OpenWork<string>>,
): LogTrigger<SubscriptionEvent, string> => ({
  category: SUBSCRIPTION,
  schemas: SUBSCRIPTION_EVENTS,
  readOpenWork,
  resume: wake,
  resumeInBackground: true,
  react: ({ data }) => wake(data.userId),
})

export const webhookTrigger = (waiting: RowTrigger['waiting']): RowTrigger => ({
  waiting,
  start: (engine, webhookId) => engine.start(processWebhook, { webhookId }),
})
