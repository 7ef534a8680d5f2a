import type { Workflow } from '../engine/engine.port.ts'

type Input = { readonly userId: string }

export interface EraseAccountActivities {
  /**
   * Ends the subscription, erases every task, those that wait before those that run, and removes files, uploads, rows and the user's key. Goes on where a
   * provider, the media store or a broken stream fails, and throws the failure at the end.
   */
  erase(input: Input): Promise<void>
  /** Marks the erasure as done. */
  endErasure(input: Input): Promise<void>
}

/** Pause before the second pass. Requests that were in flight when the account was deleted have ended by then. */
const IN_FLIGHT_MS = 2 * 60_000

/** Erases the data of a deleted account in two passes, because requests in flight during the first may add files. */
export const eraseAccount: Workflow<EraseAccountActivities, Input> = {
  type: 'eraseAccount',
  id: ({ userId }) => `erase-${userId}`,
  async run(ctx, input) {
    await ctx.activities.erase(input)
    await ctx.sleep(IN_FLIGHT_MS)
    await ctx.activities.erase(input)
    await ctx.activities.endErasure(input)
  },
}
