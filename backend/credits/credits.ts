import type { CommandContext } from '../eventsourcing/command.ts'
import { derivedId } from '../eventsourcing/eventHash.ts'
import type { GlobalPosition } from '../eventsourcing/eventStore.ts'
import type { Handle } from '../eventsourcing/handle.ts'
import { creditAccount } from './creditAccount.ts'

/** What other contexts ask of the credit account. Each call may be repeated: it acts once. Amounts are whole credits. */
export interface Credits {
  /** The free credits, once for life. */
  welcome(userId: string, amount: number): Promise<void>
  /** @throws Rejection insufficient_credits, queue_full, hold_settled */
  hold(
    hold: { userId: string; taskId: string; amount: number; openLimit: number },
    context: CommandContext,
  ): Promise<GlobalPosition | undefined>
  capture(userId: string, taskId: string): Promise<void>
  /** Back to the lots they came from. */
  release(userId: string, taskId: string, reason: string): Promise<GlobalPosition | undefined>
}

export function createCredits(handle: Handle, now: () => number = Date.now): Credits {
  const at = () => new Date(now()).toISOString()
  const bySystem = (...subject: string[]): CommandContext => ({
    commandId: derivedId(...subject),
    actor: 'system',
    correlationId: subject.at(-1)!,
  })

  return {
    async welcome(userId, amount) {
      const lotId = derivedId('free', userId)
      const command = { type: 'GrantLot', userId, lotId, source: 'free', amount, expiresAt: null, at: at() } as const
      await handle(creditAccount, userId, command, bySystem('welcome', userId))
    },

    async hold({ userId, taskId, amount, openLimit }, context) {
      const command = { type: 'HoldCredits', userId, holdId: taskId, amount, openLimit, at: at() } as const
      return (await handle(creditAccount, userId, command, context)).position
    },

    async capture(userId, taskId) {
      const command = { type: 'CaptureHold', userId, holdId: taskId, at: at() } as const
      await handle(creditAccount, userId, command, bySystem('capture', taskId))
    },

    async release(userId, taskId, reason) {
      const command = { type: 'ReleaseHold', userId, holdId: taskId, reason, at: at() } as const
      return (await handle(creditAccount, userId, command, bySystem('release', taskId))).position
    },
  }
}
