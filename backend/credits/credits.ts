import { bySystem, type CommandContext, type Origin } from '../kernel/eventsourcing/command.ts'
import type { GlobalPosition } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { type CreditAccountCommand, creditAccount } from './creditAccount.decider.ts'

const RENEWED_FOR_MS = 30 * 24 * 3_600_000

/**
 * What others ask of the credit account. Each call may be repeated: it acts once. Amounts are whole credits; `origin` says
 * what the call follows from.
 */
export type Credits = ReturnType<typeof createCredits>

/** The lot that a sale paid for. */
export const saleLot = (saleId: string): string => `sale-${saleId}`

export function createCredits(handle: Handle, now: () => number = Date.now) {
  const at = (later = 0) => new Date(now() + later).toISOString()
  const give = async (command: CreditAccountCommand, context: CommandContext) =>
    (await handle(creditAccount, command.userId, command, context)).position

  return {
    /** The free credits, once for life. */
    async grantFreeCredits(userId: string, amount: number): Promise<void> {
      const lot = { lotId: derivedId('free', userId), source: 'free', amount, expiresAt: null } as const
      await give({ type: 'GrantLot', userId, ...lot, at: at() }, bySystem('welcome', userId))
    },

    /** @throws Rejection insufficient_credits, queue_full, hold_settled */
    hold(
      { userId, taskId, amount, openLimit }: { userId: string; taskId: string; amount: number; openLimit: number },
      context: CommandContext,
    ): Promise<GlobalPosition | undefined> {
      return give({ type: 'HoldCredits', userId, holdId: taskId, amount, openLimit, at: at() }, context)
    },

    async capture(userId: string, taskId: string, origin?: Origin): Promise<void> {
      const context = { ...bySystem('capture', taskId), ...origin }
      await give({ type: 'CaptureHold', userId, holdId: taskId, at: at() }, context)
    },

    /** Back to the lots they came from; what came from a lot that is over can be used for 30 days more. */
    release(
      userId: string,
      taskId: string,
      reason: string,
      origin?: Partial<Origin>,
    ): Promise<GlobalPosition | undefined> {
      const hold = { holdId: taskId, reason, renewalExpiresAt: at(RENEWED_FOR_MS) }
      return give({ type: 'ReleaseHold', userId, ...hold, at: at() }, { ...bySystem('release', taskId), ...origin })
    },

    /** The credits of a completed sale; they last as long as the subscription, or are `kept` for good. */
    async grantSale(userId: string, saleId: string, amount: number, kept: boolean, origin?: Origin): Promise<void> {
      const source = kept ? 'payment' : 'subscription'
      const lot = { lotId: saleLot(saleId), source, amount, expiresAt: null, reference: saleId } as const
      await give({ type: 'GrantLot', userId, ...lot, at: at() }, { ...bySystem('sale', saleId), ...origin })
    },

    /** The money of a sale went back: `amount` of its credits are claimed. */
    async reverseSale(
      userId: string,
      { saleId, reversalId, amount, reason }: { saleId: string; reversalId: string; amount: number; reason: string },
    ): Promise<void> {
      const claim = { reversalId, lotId: saleLot(saleId), amount, reason }
      await give({ type: 'ReverseLot', userId, ...claim, at: at() }, bySystem('reverse', reversalId))
    },

    /** The subscription is over, and with it what is left of the credits that these sales brought. */
    async forfeitSales(userId: string, saleIds: readonly string[]): Promise<void> {
      const when = at()
      const command = { type: 'ForfeitLots', userId, lotIds: saleIds.map(saleLot), at: when } as const
      if (saleIds.length > 0) await give(command, bySystem('forfeit', when, ...saleIds, userId))
    },

    /** Closes the lots whose time is over. */
    async expire(userId: string): Promise<GlobalPosition | undefined> {
      const when = at()
      return give({ type: 'ExpireLots', userId, at: when }, bySystem('expire', when, userId))
    },

    /** An operator gives credits, or takes them with an amount below zero. @throws Rejection insufficient_credits */
    async adjust(
      userId: string,
      { adjustmentId, amount, reason }: { adjustmentId: string; amount: number; reason: string },
      context: CommandContext,
    ): Promise<void> {
      const lot = { lotId: `adjustment-${adjustmentId}`, source: 'adjustment', amount, expiresAt: null } as const
      if (amount > 0) await give({ type: 'GrantLot', userId, ...lot, reason, at: at() }, context)
      else await give({ type: 'WithdrawCredits', userId, adjustmentId, amount: -amount, reason, at: at() }, context)
    },
  }
}
