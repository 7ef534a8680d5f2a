import type { Workflow } from '../engine/engine.port.ts'

export interface EraseAccountInput {
  readonly userId: string
}

/** Each may be repeated: what is gone is gone. */
export interface EraseAccountActivities {
  /** Ends and deletes every task, and removes its files, the uploads, the rows and the key. */
  erase(input: EraseAccountInput): Promise<void>
  endErasure(input: EraseAccountInput): Promise<void>
}

/** Calls that were under way when the account was deleted have ended by then, and their files are there. */
const STRAGGLERS_MS = 2 * 60_000

/** Takes away what an account has left behind; whom it belonged to is forgotten by the time this begins. */
export const eraseAccount: Workflow<EraseAccountActivities, EraseAccountInput> = {
  type: 'eraseAccount',
  id: ({ userId }) => `erase-${userId}`,
  async run(ctx, input) {
    await ctx.activities.erase(input)
    await ctx.sleep(STRAGGLERS_MS)
    await ctx.activities.erase(input)
    await ctx.activities.endErasure(input)
  },
}
