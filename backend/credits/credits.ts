import { bySystem, type CommandContext, type Origin } from '../kernel/eventsourcing/command.ts'
import type { GlobalPosition } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Calendar } from '../kernel/time.ts'
import { allowanceLot, monthEnd } from './allowances.contract.ts'
import type { CreditAccountCommand } from './commands.ts'
import { RETURNED_MS, type ReleaseReason } from './contract.ts'
import { creditAccount } from './creditAccount.decider.ts'
import type { KeyLimits, LotSource } from './events.ts'
import { type KeySpending, spendingOf } from './keySpending.rules.ts'

/** Reasons of releases that the user caused. */
const BY_OWNER: readonly ReleaseReason[] = ['cancelled', 'account erased']

/** `spentBy`: the member of the team of `userId` who orders; undefined if the owner does. */
type Hold = Readonly<{ userId: string; taskId: string; amount: number; openLimit: number }> & {
  readonly key?: KeyLimits | undefined
  readonly spentBy?: string | undefined
}
type PaidLot = Readonly<{ saleId: string; amount: number; source: 'subscription' | 'payment' | 'pack' }>
type Claim = Readonly<{ saleId: string; reversalId: string; amount: number; stillClaimed: number; reason: string }>
type Restoration = Readonly<{ saleId: string; restorationId: string; amount: number; stillClaimed: number }>
type Adjustment = Readonly<{
  adjustmentId: string
  amount: number
  reason: string
  /** The operator's action that ordered it. */
  action?: string
  /** Signs the adjustment with the key of the operator who is the actor. */
  sign?: (
    adjustment: Readonly<Record<'userId' | 'adjustmentId' | 'reason' | 'at' | 'actor', string> & { amount: number }>,
  ) => string
}>

export type Credits = ReturnType<typeof createCredits>

/** Returns the id of the lot that a sale paid for. */
const saleLot = (saleId: string): string => `sale-${saleId}`

const NOTHING = { granted: 0, left: 0, forfeited: 0 }

/** Returns the id of the lot that an adjustment granted. */
export const adjustmentLot = (adjustmentId: string): string => `adjustment-${adjustmentId}`

/** Returns the id of the lot that a user's redemption of a code granted. */
const codeLot = (codeId: string, userId: string): string => `code-${codeId}-${userId}`

/** Sources of the lots that sales paid for. */
const SOLD: readonly LotSource[] = ['subscription', 'payment', 'pack']

function createSender(handle: Handle, calendar: Calendar) {
  const at = (laterMs = 0) => new Date(calendar() + laterMs).toISOString()
  const send = async (command: CreditAccountCommand, context: CommandContext): Promise<GlobalPosition | undefined> =>
    (await handle(creditAccount, command.userId, command, context)).position
  return { at, send }
}

function createSaleCredits(handle: Handle, calendar: Calendar) {
  const { at, send } = createSender(handle, calendar)

  return {
    /** Grants the credits of a completed sale. Those of source `subscription` are forfeited when the subscription ends. */
    async grantSale(userId: string, { saleId, amount, source }: PaidLot, origin?: Origin): Promise<void> {
      const lot = { lotId: saleLot(saleId), source, amount, expiresAt: null, reference: saleId } as const
      await send({ type: 'GrantLot', userId, ...lot, at: at() }, { ...bySystem('sale', saleId), ...origin })
    },

    /** Claims back `amount` credits of a sale whose payment was reversed. All its reversals claim `stillClaimed`. */
    async reverseSale(userId: string, { saleId, reversalId, ...rest }: Claim): Promise<void> {
      const claim = { reversalId, lotId: saleLot(saleId), ...rest }
      await send({ type: 'ReverseLot', userId, ...claim, at: at() }, bySystem('reverse', reversalId))
    },

    /** Gives back up to `amount` claimed credits of a sale, because a dispute about it was won, except those `stillClaimed`. */
    async restoreSale(userId: string, { saleId, restorationId, ...amounts }: Restoration): Promise<void> {
      const restoration = { restorationId, lotId: saleLot(saleId), ...amounts }
      await send({ type: 'RestoreLot', userId, ...restoration, at: at() }, bySystem('restore', restorationId, saleId))
    },

    /** Forfeits the remaining credits of these sales, because their subscription has ended. */
    async forfeitSales(userId: string, saleIds: readonly string[]): Promise<void> {
      const when = at()
      const command = { type: 'ForfeitLots', userId, lotIds: saleIds.map(saleLot), at: when } as const
      if (saleIds.length > 0) await send(command, bySystem('forfeit', when, ...saleIds, userId))
    },

    /** Closes the lot of a sale that is to be refunded. Returns false, and leaves it, if some of its credits were used. */
    async voidSale(userId: string, saleId: string): Promise<boolean> {
      const [when, lotId] = [at(), saleLot(saleId)]
      const command = { type: 'VoidLot', userId, lotId, at: when } as const
      const { state } = await handle(creditAccount, userId, command, bySystem('void', when, saleId, userId))
      return state.closed.some(({ id, granted, forfeited }) => id === lotId && granted === forfeited)
    },

    /** Returns whether a sale has ever granted credits to a user. */
    async hasBought(userId: string): Promise<boolean> {
      const { lots, closed } = (await handle.read(creditAccount, userId)).state
      return [...lots, ...closed].some(({ source }) => SOLD.includes(source))
    },

    /** Returns how many credits of a sale were granted, and how many of them were forfeited. */
    async unusedOf(userId: string, saleId: string): Promise<{ granted: number; forfeited: number }> {
      const { lots, closed } = (await handle.read(creditAccount, userId)).state
      const { granted, forfeited } = [...lots, ...closed].find(({ id }) => id === saleLot(saleId)) ?? NOTHING
      return { granted, forfeited }
    },

    /** Returns how many credits of a sale were spent, or are held for open tasks. */
    async usedOf(userId: string, saleId: string): Promise<number> {
      const { lots, closed } = (await handle.read(creditAccount, userId)).state
      const { granted, left, forfeited } = [...lots, ...closed].find(({ id }) => id === saleLot(saleId)) ?? NOTHING
      return Math.max(0, granted - left - forfeited)
    },
  }
}

/** Creates the holds of tasks. */
function createHolds(handle: Handle, calendar: Calendar) {
  const { at, send } = createSender(handle, calendar)
  const step = (command: CreditAccountCommand, context: CommandContext) =>
    handle.step(creditAccount, command.userId, command, context)

  return {
    /**
     * Holds credits when it is sent, which throws Rejection insufficient_credits, queue_full, key_limit_reached,
     * member_limit_reached, not_in_team or hold_settled.
     */
    hold({ userId, taskId, amount, openLimit, key, spentBy }: Hold, context: CommandContext) {
      const hold = { holdId: taskId, amount, openLimit, ...(key && { key }), ...(spentBy && { spentBy }) }
      return step({ type: 'HoldCredits', userId, ...hold, at: at() }, context)
    },

    /** Sets who of a user's team may spend when it is sent. Later revisions of the team win. */
    setSpenders(userId: string, team: Omit<CreditAccountCommand<'SetSpenders'>, 'type' | 'userId' | 'at'>) {
      const context = bySystem('spenders', team.teamId, String(team.revision))
      return step({ type: 'SetSpenders', userId, ...team, at: at() }, context)
    },

    /** Returns what an API key, or a member, has held and spent of a user's credits today and this month. */
    async spentBy(userId: string, keyId: string): Promise<KeySpending> {
      return spendingOf((await handle.read(creditAccount, userId)).state.keys, keyId, at())
    },

    /** Captures the held credits of a task when it is sent. */
    capture(userId: string, taskId: string, origin?: Origin) {
      return step(
        { type: 'CaptureHold', userId, holdId: taskId, at: at() },
        { ...bySystem('capture', taskId), ...origin },
      )
    },

    /**
     * Returns held credits to their lots. Credits whose lot is over get a new lot that expires in 30 days, once, if
     * Kinora failed; they are forfeited if the owner cancelled.
     */
    release(userId: string, taskId: string, reason: ReleaseReason, origin?: Partial<Origin>) {
      const hold = { holdId: taskId, reason, byOwner: BY_OWNER.includes(reason), renewalExpiresAt: at(RETURNED_MS) }
      return send({ type: 'ReleaseHold', userId, ...hold, at: at() }, { ...bySystem('release', taskId), ...origin })
    },
  }
}

/** Creates the service that changes credit accounts. Every call is idempotent. Amounts are whole credits. */
export function createCredits(handle: Handle, calendar: Calendar = Date.now) {
  const { at, send } = createSender(handle, calendar)

  return {
    /** Grants the free credits, once per user. */
    async grantFreeCredits(userId: string, amount: number): Promise<void> {
      const lot = { lotId: derivedId('free', userId), source: 'free', amount, expiresAt: null } as const
      await send({ type: 'GrantLot', userId, ...lot, at: at() }, bySystem('welcome', userId))
    },

    /**
     * Grants the current month's allowance, once per user and month. It expires when the month ends; the user's expired
     * lots are closed first.
     */
    async grantAllowance(userId: string, amount: number): Promise<void> {
      const when = at()
      const lot = { lotId: allowanceLot(when), source: 'allowance', amount, expiresAt: monthEnd(when) } as const
      await send({ type: 'ExpireLots', userId, at: when }, bySystem('expire', when, userId))
      await send({ type: 'GrantLot', userId, ...lot, at: when }, bySystem('allowance', lot.lotId, userId))
    },

    /** Grants the credits of a code that the user has redeemed. They never expire. */
    grantCode(userId: string, codeId: string, amount: number) {
      const lot = {
        lotId: codeLot(codeId, userId),
        source: 'code',
        amount,
        expiresAt: null,
        reference: codeId,
      } as const
      return send({ type: 'GrantLot', userId, ...lot, at: at() }, bySystem('code', codeId, userId))
    },

    ...createHolds(handle, calendar),
    ...createSaleCredits(handle, calendar),

    /** Closes the user's expired lots, which forfeits their remaining credits. */
    expire(userId: string) {
      const when = at()
      return send({ type: 'ExpireLots', userId, at: when }, bySystem('expire', when, userId))
    },

    /** Grants credits, or withdraws them if `amount` is negative. @throws Rejection insufficient_credits */
    async adjust(userId: string, adjustment: Adjustment, context: CommandContext): Promise<void> {
      const { adjustmentId, amount, reason, action, sign } = adjustment
      const change = { userId, reason, ...(action !== undefined && { action }), at: at() }
      const signature = sign?.({ ...change, adjustmentId, amount, actor: context.actor })
      const signed = signature === undefined ? change : { ...change, signature }
      const lot = { lotId: adjustmentLot(adjustmentId), source: 'adjustment', amount, expiresAt: null } as const
      if (amount > 0) await send({ type: 'GrantLot', ...lot, ...signed }, context)
      else await send({ type: 'WithdrawCredits', adjustmentId, amount: -amount, ...signed }, context)
    },
  }
}
