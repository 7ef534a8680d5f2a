import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { GrowOnlySet } from '../kernel/eventsourcing/pure/growOnlySet.ts'
import { CREDIT_ACCOUNT, type CreditAccountEvent, type LotPart, type LotSource } from './events.ts'
import { available, isOpen, type Lot, moved, newLot, takeFrom, total } from './lots.rules.ts'

/** A user's credits: the lots they were granted in, and what is set aside for open tasks. Amounts are whole credits. */
export interface CreditAccount {
  /** In the order they were granted. */
  readonly lots: readonly Lot[]
  readonly holds: ReadonlyMap<string, readonly LotPart[]>
  /** Owed after a reversal. While anything is owed, nothing can be spent. */
  readonly debt: number
  /** Lots ever granted, holds ever settled, reversals and adjustments ever made: each happens once. */
  readonly granted: GrowOnlySet
  readonly settled: GrowOnlySet
  readonly corrected: GrowOnlySet
}

type About = { readonly userId: string; readonly at: string }
type Command<T extends string, D extends object = object> = Readonly<{ type: T } & About & D>

export type GrantLot = Command<
  'GrantLot',
  {
    lotId: string
    source: LotSource
    amount: number
    expiresAt: string | null
    reference?: string
    reason?: string
  }
>
/** `openLimit`: holds that may be open at once, the tier's limit of open tasks. */
export type HoldCredits = Command<'HoldCredits', { holdId: string; amount: number; openLimit: number }>
export type CaptureHold = Command<'CaptureHold', { holdId: string }>
/** `renewalExpiresAt`: until when credits can be used whose lot is over. */
export type ReleaseHold = Command<'ReleaseHold', { holdId: string; reason: string; renewalExpiresAt: string }>
/** The subscription that these lots came with is over: what is left in them is forfeited. */
export type ForfeitLots = Command<'ForfeitLots', { lotIds: readonly string[] }>
export type ExpireLots = Command<'ExpireLots'>
/** `amount`: credits of the lot that are claimed back; all of them when left out. */
export type ReverseLot = Command<'ReverseLot', { reversalId: string; lotId: string; amount?: number; reason: string }>
export type WithdrawCredits = Command<'WithdrawCredits', { adjustmentId: string; amount: number; reason: string }>

export type CreditAccountCommand =
  | GrantLot
  | HoldCredits
  | CaptureHold
  | ReleaseHold
  | ForfeitLots
  | ExpireLots
  | ReverseLot
  | WithdrawCredits

/** Credits that can be spent at an instant. */
export const spendable = (account: CreditAccount, at: string): number => available(account.lots, at)

function evolve(account: CreditAccount, event: CreditAccountEvent): CreditAccount {
  switch (event.type) {
    case 'CreditLotGranted': {
      const { lotId, source, amount, expiresAt } = event.data
      const lots = [...account.lots, newLot(lotId, source, amount, expiresAt)]
      return { ...account, lots, granted: account.granted.add(lotId) }
    }
    case 'CreditsHeld': {
      const { holdId, parts } = event.data
      return { ...account, lots: moved(account.lots, parts, -1), holds: new Map(account.holds).set(holdId, parts) }
    }
    case 'CreditsCaptured':
      return settledHold(account, event.data.holdId)
    case 'CreditsReleased': {
      const { holdId, renewed } = event.data
      // Releases from before lots could be closed name no parts: all went back to where it came from.
      const back = moved(account.lots, event.data.parts ?? account.holds.get(holdId) ?? [], 1)
      const lots = renewed ? [...back, newLot(renewed.lotId, 'returned', renewed.amount, renewed.expiresAt)] : back
      return { ...settledHold(account, holdId), lots }
    }
    case 'CreditLotClosed': {
      const { lotId, amount } = event.data
      const closed = (lot: Lot) => ({ ...lot, left: 0, forfeited: lot.forfeited + amount, closed: true })
      return { ...account, lots: account.lots.map((lot) => (lot.id === lotId ? closed(lot) : lot)) }
    }
    case 'CreditsReversed': {
      const { reversalId, lotId, parts, debt } = event.data
      const claimed = total(parts) + debt
      const lots = moved(account.lots, parts, -1).map((lot) =>
        lot.id === lotId ? { ...lot, reversed: lot.reversed + claimed } : lot,
      )
      return { ...account, lots, debt: account.debt + debt, corrected: account.corrected.add(reversalId) }
    }
    case 'CreditDebtRepaid': {
      const { parts } = event.data
      return { ...account, lots: moved(account.lots, parts, -1), debt: account.debt - total(parts) }
    }
    case 'CreditsWithdrawn': {
      const { adjustmentId, parts } = event.data
      return { ...account, lots: moved(account.lots, parts, -1), corrected: account.corrected.add(adjustmentId) }
    }
  }
}

function settledHold(account: CreditAccount, holdId: string): CreditAccount {
  const holds = new Map(account.holds)
  holds.delete(holdId)
  return { ...account, holds, settled: account.settled.add(holdId) }
}

function decide(command: CreditAccountCommand, account: CreditAccount): readonly CreditAccountEvent[] {
  switch (command.type) {
    case 'GrantLot': {
      const { type: _, ...lot } = command
      if (account.granted.has(lot.lotId)) return []
      return withDebtRepaid(account, command, { type: 'CreditLotGranted', data: lot })
    }
    case 'HoldCredits':
      return hold(command, account)
    case 'CaptureHold': {
      const { userId, holdId, at } = command
      return account.holds.has(holdId) ? [{ type: 'CreditsCaptured', data: { userId, holdId, at } }] : []
    }
    case 'ReleaseHold':
      return release(command, account)
    case 'ForfeitLots':
      return close(account, command, 'subscription_ended', ({ id }) => command.lotIds.includes(id))
    case 'ExpireLots':
      return close(account, command, 'expired', (lot) => !isOpen(lot, command.at))
    case 'ReverseLot':
      return reverse(command, account)
    case 'WithdrawCredits':
      return withdraw(command, account)
  }
}

function hold({ userId, holdId, amount, openLimit, at }: HoldCredits, account: CreditAccount): CreditAccountEvent[] {
  if (account.holds.has(holdId)) return []
  if (account.settled.has(holdId)) throw new Rejection('hold_settled', 'The credits of this task are settled already.')
  assertEnough(account, amount, at, 'This costs')
  if (account.holds.size >= openLimit)
    throw new Rejection('queue_full', `${openLimit} tasks are open already. Wait for one to finish.`, {
      limit: openLimit,
    })
  return [{ type: 'CreditsHeld', data: { userId, holdId, parts: takeFrom(account.lots, amount, at), at } }]
}

function release(command: ReleaseHold, account: CreditAccount): readonly CreditAccountEvent[] {
  const { userId, holdId, reason, renewalExpiresAt, at } = command
  const held = account.holds.get(holdId)
  if (!held) return []
  const open = new Set(account.lots.filter((lot) => isOpen(lot, at)).map(({ id }) => id))
  const parts = held.filter(({ lotId }) => open.has(lotId))
  const amount = total(held) - total(parts)
  const renewed = amount > 0 ? { lotId: `returned-${holdId}`, amount, expiresAt: renewalExpiresAt } : null
  const data = { userId, holdId, reason, parts, renewed, at }
  return withDebtRepaid(account, command, { type: 'CreditsReleased', data })
}

/** What comes in while credits are owed settles the debt before anything can be spent. */
function withDebtRepaid(account: CreditAccount, { userId, at }: About, event: CreditAccountEvent) {
  const { lots, debt } = evolve(account, event)
  const parts = takeFrom(lots, debt, at)
  const repaid = { type: 'CreditDebtRepaid', data: { userId, parts, at } } as const
  return parts.length > 0 ? [event, repaid] : [event]
}

function close(
  { lots }: CreditAccount,
  { userId, at }: About,
  reason: 'expired' | 'subscription_ended',
  isOver: (lot: Lot) => boolean,
): CreditAccountEvent[] {
  const over = lots.filter((lot) => !lot.closed && isOver(lot))
  return over.map(({ id, left }) => ({
    type: 'CreditLotClosed',
    data: { userId, lotId: id, amount: left, reason, at },
  }))
}

function reverse(command: ReverseLot, account: CreditAccount): CreditAccountEvent[] {
  const { userId, reversalId, lotId, reason, at } = command
  const lot = account.lots.find(({ id }) => id === lotId)
  if (!lot || account.corrected.has(reversalId)) return []
  const left = isOpen(lot, at) ? lot.left : 0
  // What was forfeited, or is lost because its time is over, did the user no good.
  const claimable = lot.granted - lot.forfeited - lot.reversed - (lot.left - left)
  const claimed = Math.min(command.amount ?? claimable, claimable)
  const fromLot = Math.min(left, claimed)
  const own = fromLot > 0 ? [{ lotId, amount: fromLot }] : []
  const others = takeFrom(
    account.lots.filter(({ id }) => id !== lotId),
    claimed - fromLot,
    at,
  )
  const parts = [...own, ...others]
  const data = { userId, reversalId, lotId, parts, debt: claimed - total(parts), reason, at }
  return [{ type: 'CreditsReversed', data }]
}

function withdraw({ userId, adjustmentId, amount, reason, at }: WithdrawCredits, account: CreditAccount) {
  if (account.corrected.has(adjustmentId)) return []
  assertEnough(account, amount, at, 'This takes')
  const parts = takeFrom(account.lots, amount, at)
  return [{ type: 'CreditsWithdrawn', data: { userId, adjustmentId, parts, reason, at } } as const]
}

function assertEnough(account: CreditAccount, required: number, at: string, what: string): void {
  const remaining = spendable(account, at)
  if (remaining < required)
    throw new Rejection('insufficient_credits', `${what} ${required} credits; ${remaining} are left.`, {
      required,
      remaining,
    })
}

/** The balance and the number of open tasks are decided here, together, by one append. */
export const creditAccount: Decider<CreditAccount, CreditAccountCommand, CreditAccountEvent> = {
  category: CREDIT_ACCOUNT,
  initial: {
    lots: [],
    holds: new Map(),
    debt: 0,
    granted: GrowOnlySet.empty,
    settled: GrowOnlySet.empty,
    corrected: GrowOnlySet.empty,
  },
  evolve,
  decide,
  hashChained: true,
}
