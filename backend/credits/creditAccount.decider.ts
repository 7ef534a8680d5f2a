import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { hasEnded, noEndedIds, weightOfEnded, withEnded } from '../kernel/eventsourcing/pure/endedIds.ts'
import type { Common, CreditAccountCommand } from './commands.ts'
import {
  type CloseReason,
  CREDIT_ACCOUNT,
  CREDIT_ACCOUNT_EVENTS,
  type CreditAccountEvent,
  type LotPart,
} from './events.ts'
import { faultOf } from './invariants.rules.ts'
import { assertMayHold, assertWithinLimits, giveBack, spend, spendingOf } from './keySpending.rules.ts'
import {
  allocate,
  available,
  type CreditAccount,
  claimable,
  credit,
  debit,
  forfeit,
  isValid,
  type Lot,
  newLot,
  takenBy,
  total,
} from './lots.rules.ts'

function evolve(account: CreditAccount, event: CreditAccountEvent): CreditAccount {
  switch (event.type) {
    case 'CreditLotGranted': {
      const { lotId, source, amount, expiresAt } = event.data
      return { ...account, lots: [...account.lots, newLot(lotId, source, amount, expiresAt)] }
    }
    case 'CreditsHeld': {
      const { holdId, parts, key, spentBy, at } = event.data
      let { keys } = account
      const spentOf = (id: string) => {
        keys = spend(keys, id, total(parts), at)
        return { id, day: spendingOf(keys, id, at).day }
      }
      const spent = { ...(key && { key: spentOf(key.id) }), ...(spentBy && { member: spentOf(spentBy) }) }
      const lots = debit(account.lots, parts)
      return { ...account, lots, keys, holds: [...account.holds, { id: holdId, parts, ...spent }] }
    }
    case 'SpendersSet': {
      const { revision, spenders } = event.data
      return { ...account, team: { revision, spenders } }
    }
    case 'CreditsCaptured':
      return withoutHold(account, event.data.holdId)
    case 'CreditsReleased': {
      const { holdId, renewed, forfeited = [] } = event.data
      const lots = credit(account.lots, event.data.parts)
      if (renewed) lots.push(newLot(renewed.lotId, 'returned', renewed.amount, renewed.expiresAt))
      const closed = forfeit(account.closed, forfeited)
      const hold = findHold(account, holdId)
      const returned = [hold?.key, hold?.member].filter((spent) => spent !== undefined)
      const keys = returned.reduce((left, spent) => giveBack(left, spent, total(hold?.parts ?? [])), account.keys)
      return { ...withoutHold(account, holdId), lots: forfeit(lots, forfeited), closed, keys }
    }
    case 'CreditLotClosed': {
      const { lotId, amount } = event.data
      const lots = account.lots.filter(({ id }) => id !== lotId)
      const over = account.lots.filter(({ id, source }) => id === lotId && source !== 'returned')
      const closed = forfeit(over, [{ lotId, amount }]).map((lot) => ({ ...lot, left: 0 }))
      return { ...account, lots, closed: [...account.closed, ...closed] }
    }
    case 'CreditsReversed': {
      const { reversalId, lotId, parts, debt } = event.data
      const reversed = total(parts) + debt
      const claim = (lot: Lot) => (lot.id === lotId ? { ...lot, reversed: lot.reversed + reversed } : lot)
      const lots = debit(account.lots, parts).map(claim)
      const corrected = [...account.corrected, reversalId]
      return { ...account, lots, closed: account.closed.map(claim), debt: account.debt + debt, corrected }
    }
    case 'CreditsRestored': {
      const { restorationId, lotId, amount, newLotId } = event.data
      const restore = (lot: Lot) => (lot.id === lotId ? { ...lot, reversed: lot.reversed - amount } : lot)
      const restored = newLotId === null ? credit(account.lots, [{ lotId, amount }]) : [...account.lots]
      if (newLotId !== null) restored.push({ ...newLot(newLotId, 'payment', amount, null), replaces: lotId })
      const corrected = [...account.corrected, restorationId]
      return { ...account, lots: restored.map(restore), closed: account.closed.map(restore), corrected }
    }
    case 'CreditDebtRepaid': {
      const { parts } = event.data
      return { ...account, lots: debit(account.lots, parts), debt: account.debt - total(parts) }
    }
    case 'CreditsWithdrawn': {
      const { adjustmentId, parts } = event.data
      return { ...account, lots: debit(account.lots, parts), corrected: [...account.corrected, adjustmentId] }
    }
  }
}

function withoutHold(account: CreditAccount, holdId: string): CreditAccount {
  const holds = account.holds.filter(({ id }) => id !== holdId)
  return { ...account, holds, settled: withEnded(account.settled, holdId) }
}

const findHold = ({ holds }: CreditAccount, holdId: string) => holds.find(({ id }) => id === holdId)

const findLot = ({ lots, closed }: CreditAccount, lotId: string) =>
  lots.find(({ id }) => id === lotId) ?? closed.find(({ id }) => id === lotId)

function decide(command: CreditAccountCommand, account: CreditAccount): readonly CreditAccountEvent[] {
  switch (command.type) {
    case 'GrantLot': {
      const { type: _, ...lot } = command
      if (findLot(account, lot.lotId)) return []
      return withDebtRepaid(account, command, { type: 'CreditLotGranted', data: lot })
    }
    case 'HoldCredits':
      return hold(command, account)
    case 'SetSpenders': {
      const { type: _, ...team } = command
      return command.revision > account.team.revision ? [{ type: 'SpendersSet', data: team }] : []
    }
    case 'CaptureHold': {
      const { userId, holdId, at } = command
      return findHold(account, holdId) ? [{ type: 'CreditsCaptured', data: { userId, holdId, at } }] : []
    }
    case 'ReleaseHold':
      return release(command, account)
    case 'ForfeitLots':
      return close(account, command, 'subscription_ended', ({ id }) => command.lotIds.includes(id))
    case 'ExpireLots':
      return close(account, command, 'expired', (lot) => !isValid(lot, command.at))
    case 'VoidLot':
      return close(account, command, 'refund', ({ id, left, granted }) => id === command.lotId && left === granted)
    case 'ReverseLot':
      return reverse(command, account)
    case 'RestoreLot':
      return restore(command, account)
    case 'WithdrawCredits':
      return withdraw(command, account)
  }
}

function hold(
  { userId, holdId, amount, openLimit, key, spentBy, at }: CreditAccountCommand<'HoldCredits'>,
  account: CreditAccount,
): CreditAccountEvent[] {
  if (findHold(account, holdId)) return []
  if (hasEnded(account.settled, holdId))
    throw new Rejection('hold_settled', 'The credits of this task are settled already.')
  // First: a stranger learns nothing about the balance.
  if (spentBy) assertMayHold(account.keys, account.team.spenders, spentBy, amount, at)
  assertAvailable(account, amount, at, 'This costs')
  if (account.holds.length >= openLimit)
    throw new Rejection('queue_full', `${openLimit} tasks are open already. Wait for one to finish.`, {
      limit: openLimit,
    })
  if (key) assertWithinLimits(account.keys, key, amount, at)
  const parts = allocate(account.lots, amount, at)
  return [
    { type: 'CreditsHeld', data: { userId, holdId, parts, ...(key && { key }), ...(spentBy && { spentBy }), at } },
  ]
}

/**
 * Returns held credits to their lots. Credits whose lot is over move to one new lot if the task failed, once, and are
 * forfeited if its owner cancelled it.
 */
function release(command: CreditAccountCommand<'ReleaseHold'>, account: CreditAccount): readonly CreditAccountEvent[] {
  const { userId, holdId, reason, byOwner, renewalExpiresAt, at } = command
  const open = findHold(account, holdId)
  if (!open) return []
  const held = open.parts
  const isReturnable = ({ lotId }: LotPart) => account.lots.some((lot) => lot.id === lotId && isValid(lot, at))
  const forfeitable = ({ lotId, amount }: LotPart) => {
    const lot = findLot(account, lotId)
    // Lots of returned credits are the only ones that are not kept when they are closed.
    if (!lot || lot.source === 'returned') return amount
    // Credits that were claimed back from other lots, or as debt, replace held ones: they must not be lost twice.
    return byOwner ? Math.min(amount, claimable(lot, at)) : 0
  }
  const parts = held.filter(isReturnable)
  const over = held.filter((part) => !isReturnable(part))
  const lost = over.map((part) => ({ ...part, amount: forfeitable(part) })).filter(({ amount }) => amount !== 0)
  const amount = total(over) - total(lost)
  const renewed = amount > 0 ? { lotId: `returned-${holdId}`, amount, expiresAt: renewalExpiresAt } : null
  const forfeited = lost.length > 0 ? { forfeited: lost } : {}
  const spentBy = open.member ? { spentBy: open.member.id } : {}
  const data = { userId, holdId, reason, parts, renewed, ...forfeited, ...spentBy, at }
  return withDebtRepaid(account, command, { type: 'CreditsReleased', data })
}

/** Returns the event, followed by the debt repayment that it makes possible, if any. */
function withDebtRepaid(account: CreditAccount, { userId, at }: Common, event: CreditAccountEvent) {
  if (account.debt === 0) return [event]
  const { lots, debt } = evolve(account, event)
  const parts = allocate(lots, debt, at)
  const repaid = { type: 'CreditDebtRepaid', data: { userId, parts, at } } as const
  return parts.length > 0 ? [event, repaid] : [event]
}

function close(
  { lots }: CreditAccount,
  { userId, at }: Common,
  reason: CloseReason,
  isOver: (lot: Lot) => boolean,
): CreditAccountEvent[] {
  return lots.filter(isOver).map(({ id, left }) => ({
    type: 'CreditLotClosed',
    data: { userId, lotId: id, amount: left, reason, at },
  }))
}

/**
 * Claims credits back from their own lot and those that replace it, then from other lots. The remainder becomes debt. Forfeited
 * credits count as claimed.
 */
function reverse(command: CreditAccountCommand<'ReverseLot'>, account: CreditAccount): CreditAccountEvent[] {
  const { userId, reversalId, lotId, reason, at } = command
  const lot = findLot(account, lotId)
  if (!lot || account.corrected.includes(reversalId)) return []
  const { amount = lot.granted, stillClaimed = lot.reversed + amount } = command
  const missing = Math.max(0, takenBy(lot, stillClaimed) - lot.reversed)
  const claimed = Math.min(amount, missing, claimable(lot, at))
  const isOwn = ({ id, replaces }: Lot) => id === lotId || replaces === lotId
  const own = allocate(account.lots.filter(isOwn), claimed, at)
  const others = account.lots.filter((each) => !isOwn(each))
  const parts = [...own, ...allocate(others, claimed - total(own), at)]
  const data = { userId, reversalId, lotId, parts, debt: claimed - total(parts), reason, at }
  return [{ type: 'CreditsReversed', data }]
}

function restore(command: CreditAccountCommand<'RestoreLot'>, account: CreditAccount): readonly CreditAccountEvent[] {
  const { userId, restorationId, lotId, at } = command
  const lot = findLot(account, lotId)
  if (!lot || account.corrected.includes(restorationId)) return []
  const isOpen = account.lots.includes(lot) && isValid(lot, at)
  const amount = Math.min(command.amount, lot.reversed - takenBy(lot, command.stillClaimed))
  const newLotId = isOpen ? null : `restored-${restorationId}`
  const data = { userId, restorationId, lotId, amount, newLotId, at }
  return amount > 0 ? withDebtRepaid(account, command, { type: 'CreditsRestored', data }) : []
}

function withdraw(command: CreditAccountCommand<'WithdrawCredits'>, account: CreditAccount) {
  const { type: _, amount, ...data } = command
  if (account.corrected.includes(data.adjustmentId)) return []
  assertAvailable(account, amount, data.at, 'This takes')
  const parts = allocate(account.lots, amount, data.at)
  return [{ type: 'CreditsWithdrawn', data: { ...data, parts } } as const]
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
  schemas: CREDIT_ACCOUNT_EVENTS,
  initial: {
    lots: [],
    closed: [],
    holds: [],
    debt: 0,
    settled: noEndedIds,
    corrected: [],
    keys: [],
    team: { revision: -1, spenders: [] },
  },
  evolve,
  decide,
  faultOf,
  hashChained: true,
  snapshotVersion: 5,
  weight: ({ lots, closed, holds, settled, corrected, keys, team: { spenders } }) =>
    200 * (lots.length + closed.length + holds.length + keys.length + spenders.length) +
    64 * corrected.length +
    weightOfEnded(settled),
}
