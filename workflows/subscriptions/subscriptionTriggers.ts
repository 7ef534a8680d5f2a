import { SUBSCRIPTION, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { type Starter, signalWithStart } from '../engine/engine.port.ts'
import type { LogTrigger, OpenWork } from '../engine/logTriggers.ts'
import type { RowTrigger } from '../engine/rowTriggers.ts'
import { processWebhook } from './processWebhook.workflow.ts'
import { runSubscriptionLifecycle, SUBSCRIPTION_CHANGED } from './runSubscriptionLifecycle.workflow.ts'

/** Makes the workflow of a user's subscription re-read the log, and starts it if it is not running. */
export const wakeSubscription = (engine: Starter, userId: string): Promise<void> =>
  signalWithStart(engine, runSubscriptionLifecycle, { userId }, SUBSCRIPTION_CHANGED)

/** Rechecks a subscription at each of its events. */
export const subscriptionTrigger = (
  readOpenWork: () => Promise<OpenWork<string>>,
): LogTrigger<SubscriptionEvent, string> => ({
  category: SUBSCRIPTION,
  readOpenWork,
  resume: wakeSubscription,
  resumeInBackground: true,
  react: (engine, { data }) => wakeSubscription(engine, data.userId),
})

export const webhookTrigger = (waiting: RowTrigger['waiting']): RowTrigger => ({
  waiting,
  start: (engine, noticeId) => engine.start(processWebhook, { noticeId }),
})
