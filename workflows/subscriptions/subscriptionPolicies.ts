import type { ActivityPolicy, Policies } from '../engine/engine.port.ts'
import { bookkeeping } from '../engine/policies.ts'
import type { SubscriptionActivities } from './subscriptionActivities.ts'

/** Retried until the payment provider answers: a payment is never dropped. */
const retries = { firstRetryMs: 1_000, maxRetryMs: 5 * 60_000 }
const provider: ActivityPolicy = { ...bookkeeping, ...retries, timeoutMs: 120_000, pool: 'payments' }

export const subscriptionPolicies: Policies<keyof SubscriptionActivities> = {
  settleSubscription: provider,
  processWebhook: provider,
  // An attempt continues where the last one stopped, such as at the provider's rate limit.
  reconcile: { ...provider, timeoutMs: 60 * 60_000, attempts: 10, firstRetryMs: 15_000 },
}
