import type { Workflow } from '../engine/engine.port.ts'

type Input = { readonly userId: string }

export interface LifecycleActivities {
  /**
   * Applies due changes to the subscription, its credits and the provider's agreements. Returns the delay in
   * milliseconds until the next change is due, or null if none is.
   */
  settleSubscription(input: Input): Promise<number | null>
}

/** Signals that the subscription changed. */
export const SUBSCRIPTION_CHANGED = 'subscriptionChanged'

const MAX_WAIT_MS = 24 * 3_600_000

/** Keeps a user's subscription, credits and agreements consistent until no further change is due. */
export const runSubscriptionLifecycle: Workflow<LifecycleActivities, Input> = {
  type: 'runSubscriptionLifecycle',
  id: ({ userId }) => `subscription-${userId}`,
  async run(ctx, input) {
    for (;;) {
      const delayMs = await ctx.activities.settleSubscription(input)
      const changed = await ctx.signalled(SUBSCRIPTION_CHANGED, Math.min(delayMs ?? 0, MAX_WAIT_MS))
      if (delayMs === null && !changed) return
    }
  },
}
