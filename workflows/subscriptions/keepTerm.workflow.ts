import type { Workflow } from '../engine/engine.port.ts'

export interface KeepTermInput {
  readonly userId: string
}

export interface KeepTermActivities {
  /**
   * Lets happen what is due: periods that end, credits that are granted, taken or forfeited, and what the payment provider
   * is to be told. Answers in how many milliseconds to look again; null: nothing can change any more by itself.
   */
  settleSubscription(input: KeepTermInput): Promise<number | null>
}

/** The signal that says: something was reported or wished for. Look again. */
export const LOOK = 'look'

const DAY_MS = 24 * 3_600_000

/** Keeps a user's subscription, its credits and the provider's agreements in step, for as long as there is one. */
export const keepTerm: Workflow<KeepTermActivities, KeepTermInput> = {
  type: 'keepTerm',
  id: ({ userId }) => `term-${userId}`,
  async run(ctx, input) {
    for (;;) {
      const due = await ctx.activities.settleSubscription(input)
      const again = await ctx.signalled(LOOK, Math.min(due ?? 0, DAY_MS))
      if (due === null && !again) return
    }
  },
}
