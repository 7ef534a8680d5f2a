import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { GrowOnlySet } from '../kernel/eventsourcing/pure/growOnlySet.ts'
import { CREDIT_ACCOUNT, type CreditAccountEvent, type LotPart } from './events.ts'
import { allocate, available, credit, debit, isOpen, type Lot, newLot, total } from './lots.rules.ts'

/** A user's credits. Amounts are whole credits. */
export interface CreditAccount {
  /** In grant order. */
  readonly lots: readonly Lot[]
  /** Open holds by id: credits set aside for unfinished tasks. */
  readonly holds: ReadonlyMap<string, readonly LotPart[]>
  /** Credits owed after a reversal. New credits repay it first, so no open lot has credits left while debt remains. */
  readonly debt: number
  /** Ids of all lots granted, holds settled, and reversals and withdrawals made. They make commands idempotent. */
  readonly granted: GrowOnlySet
  readonly settled: GrowOnlySet
  readonly corrected: GrowOnlySet
}

type Common = { readonly userId: string; readonly at: string }

/** Data of each command, in addition to the user and the time. */
interface Commands {
  GrantLot: CreditAccountEvent<'CreditLotGranted'>['data']
  /** `openLimit`: maximum number of open holds for the tier, including this one. */
  HoldCredits: { holdId: string; amount: number; openLimit: number }
  CaptureHold: { holdId: string }
  /** `renewalExpiresAt`: expiry of credits that cannot return to their lot because the lot is closed or has expired. */
  ReleaseHold: { holdId: string; reason: string; renewalExpiresAt: string }
  /** Forfeits the remaining credits of lots whose subscription has ended. */
  ForfeitLots: { lotIds: readonly string[] }
  ExpireLots: object
  /** `amount`: number of credits to claim back; by default, all that can be claimed. */
  ReverseLot: { reversalId: string; lotId: string; amount?: number; reason: string }
  WithdrawCredits: { adjustmentId: string; amount: number; reason: string }
}

export type CreditAccountCommand<T extends keyof Commands = keyof Commands> = {
  [K in T]: Readonly<{ type: K } & Common & Commands[K]>
}[T]

function evolve(account: CreditAccount, event: CreditAccountEvent): CreditAccount {
  switch (event.type) {
    case 'CreditLotGranted': {
      const { lotId, source, amount, expiresAt } = event.data
      const lots = [...account.lots, newLot(lotId, source, amount, expiresAt)]
      return { ...account, lots, granted: account.granted.add(lotId) }
    }
    case 'CreditsHeld': {
      const { holdId, parts } = event.data
      return { ...account, lots: debit(account.lots, parts), holds: new Map(account.holds).set(holdId, parts) }
    }
    case 'CreditsCaptured':
      return withoutHold(account, event.data.holdId)
    case 'CreditsReleased': {
      const { holdId, renewed } = event.data
      // Events that predate lot closing have no `parts`: the entire hold returned to its lots.
      const lots = credit(account.lots, event.data.parts ?? account.holds.get(holdId) ?? [])
      if (renewed) lots.push(newLot(renewed.lotId, 'returned', renewed.amount, renewed.expiresAt))
      return { ...withoutHold(account, holdId), lots }
    }
    case 'CreditLotClosed': {
      const { lotId, amount } = event.data
      const closed = (lot: Lot) => ({ ...lot, left: 0, forfeited: lot.forfeited + amount, closed: true })
      return { ...account, lots: account.lots.map((lot) => (lot.id === lotId ? closed(lot) : lot)) }
    }
    case 'CreditsReversed': {
      const { reversalId, lotId, parts, debt } = event.data
      const reversed = total(parts) + debt
      const lots = debit(account.lots, parts).map((lot) =>
        lot.id === lotId ? { ...lot, reversed: lot.reversed + reversed } : lot,
      )
      return { ...account, lots, debt: account.debt + debt, corrected: account.corrected.add(reversalId) }
    }
    case 'CreditDebtRepaid': {
      const { parts } = event.data
      return { ...account, lots: debit(account.lots, parts), debt: account.debt - total(parts) }
    }
    case 'CreditsWithdrawn': {
      const { adjustmentId, parts } = event.data
      return { ...account, lots: debit(account.lots, parts), corrected: account.corrected.add(adjustmentId) }
    }
  }
}

function withoutHold(account: CreditAccount, holdId: string): CreditAccount {
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

function hold(
  { userId, holdId, amount, openLimit, at }: CreditAccountCommand<'HoldCredits'>,
  account: CreditAccount,
): CreditAccountEvent[] {
  if (account.holds.has(holdId)) return []
  if (account.settled.has(holdId)) throw new Rejection('hold_settled', 'The credits of this task are settled already.')
  assertAvailable(account, amount, at, 'This costs')
  if (account.holds.size >= openLimit)
    throw new Rejection('queue_full', `${openLimit} tasks are open already. Wait for one to finish.`, {
      limit: openLimit,
    })
  return [{ type: 'CreditsHeld', data: { userId, holdId, parts: allocate(account.lots, amount, at), at } }]
}

/** Returns held credits to their lots. Credits whose lots are no longer open move to one new lot. */
function release(command: CreditAccountCommand<'ReleaseHold'>, account: CreditAccount): readonly CreditAccountEvent[] {
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

/** Returns the event, followed by the debt repayment that it makes possible, if any. */
function withDebtRepaid(account: CreditAccount, { userId, at }: Common, event: CreditAccountEvent) {
  const { lots, debt } = evolve(account, event)
  const parts = allocate(lots, debt, at)
  const repaid = { type: 'CreditDebtRepaid', data: { userId, parts, at } } as const
  return parts.length > 0 ? [event, repaid] : [event]
}

function close(
  { lots }: CreditAccount,
  { userId, at }: Common,
  reason: 'expired' | 'subscription_ended',
  isOver: (lot: Lot) => boolean,
): CreditAccountEvent[] {
  const over = lots.filter((lot) => !lot.closed && isOver(lot))
  return over.map(({ id, left }) => ({
    type: 'CreditLotClosed',
    data: { userId, lotId: id, amount: left, reason, at },
  }))
}

/** Claims credits back from their own lot, then from other lots. The remainder becomes debt. */
function reverse(command: CreditAccountCommand<'ReverseLot'>, account: CreditAccount): CreditAccountEvent[] {
  const { userId, reversalId, lotId, reason, at } = command
  const lot = account.lots.find(({ id }) => id === lotId)
  if (!lot || account.corrected.has(reversalId)) return []
  const left = isOpen(lot, at) ? lot.left : 0
  const expired = lot.left - left
  // The user could not use forfeited and expired credits, so they are not claimed back.
  const claimable = lot.granted - lot.forfeited - lot.reversed - expired
  const claimed = Math.min(command.amount ?? claimable, claimable)
  const fromLot = Math.min(left, claimed)
  const others = account.lots.filter(({ id }) => id !== lotId)
  const parts = [...(fromLot > 0 ? [{ lotId, amount: fromLot }] : []), ...allocate(others, claimed - fromLot, at)]
  const data = { userId, reversalId, lotId, parts, debt: claimed - total(parts), reason, at }
  return [{ type: 'CreditsReversed', data }]
}

function withdraw(
  { userId, adjustmentId, amount, reason, at }: CreditAccountCommand<'WithdrawCredits'>,
  account: CreditAccount,
) {
  if (account.corrected.has(adjustmentId)) return []
  assertAvailable(account, amount, at, 'This takes')
  const parts = allocate(account.lots, amount, at)
  return [{ type: 'CreditsWithdrawn', data: { userId, adjustmentId, parts, reason, at } } as const]
}

function assertAvailable(account: CreditAccount, required: number, at: string, what: string): void {
  const remaining = available(account.lots, at)
  if (remaining < required)
    throw new Rejection('insufficient_credits', `${what} ${required} credits; ${remaining} are left.`, {
      required,
      remaining,
    })
}

/** Checks the balance and the open-task limit in one append. See docs/decisions/0006-lots-and-holds.md. */
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
