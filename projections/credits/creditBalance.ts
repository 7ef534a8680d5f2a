import { defineEntity, p } from '@mikro-orm/core'
import {
  CREDIT_ACCOUNT,
  CREDIT_ACCOUNT_EVENTS,
  type CreditAccountEvent,
  type LotPart,
  type LotSource,
} from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Projection, RowOf } from '../engine/projection.ts'
import { movementOf, sum } from './creditEntry.ts'

interface BalanceLot {
  id: string
  source: LotSource
  granted: number
  left: number
  /** Credits that expired or were forfeited, reversed, withdrawn or used to repay debt. */
  lost: number
  expires_at: string | null
  closed: boolean
}

/** A user's credits by lot, the credits held for open tasks, and the debt. */
const CreditBalanceTable = defineEntity({
  name: 'CreditBalanceRow',
  tableName: 'credit_balance',
  properties: {
    id: p.uuid().primary(),
    lots: p.json<readonly BalanceLot[]>(),
    /** Parts of each open hold, by task id. */
    holds: p.json<Readonly<Record<string, readonly LotPart[]>>>(),
    debt: p.integer(),
    /** Number and sum of the user's credit entries, and the revision of the latest. See docs/decisions/0053-totals-beside-the-balance.md. */
    entry_count: p.integer(),
    entry_sum: p.integer(),
    last_entry: p.integer(),
  },
})
export type CreditBalanceRow = RowOf<typeof CreditBalanceTable>

type Change = Readonly<{ left?: number; lost?: number }>

/** Adds each part's amount to its lot's `left` and `lost`, multiplied by the signs in the change. */
const moved = (lots: readonly BalanceLot[], parts: readonly LotPart[], { left = 0, lost = 0 }: Change) =>
  lots.map((lot) => {
    const part = parts.find(({ lotId }) => lotId === lot.id)
    return part ? { ...lot, left: lot.left + left * part.amount, lost: lot.lost + lost * part.amount } : lot
  })

function lotOf(id: string, source: LotSource, amount: number, expiresAt: string | null): BalanceLot {
  return { id, source, granted: amount, left: amount, lost: 0, expires_at: expiresAt, closed: false }
}

const TAKEN: Change = { left: -1, lost: 1 }

const NEW = { holds: {}, debt: 0, entry_count: 0, entry_sum: 0, last_entry: 0 }

const LOTS: Projection<CreditAccountEvent, CreditBalanceRow>['on'] = {
  CreditLotGranted: (row, { data }) => {
    const lot = lotOf(data.lotId, data.source, data.amount, data.expiresAt)
    return { id: data.userId, ...NEW, ...row, lots: [...(row?.lots ?? []), lot] }
  },
  CreditsHeld: (row, { data }) => {
    const holds = { ...row?.holds, [data.holdId]: data.parts }
    return row && { ...row, lots: moved(row.lots, data.parts, { left: -1 }), holds }
  },
  SpendersSet: (row) => row,
  CreditsCaptured: (row, { data }) => {
    if (!row) return row
    const { [data.holdId]: _, ...holds } = row.holds
    return { ...row, holds }
  },
  CreditsReleased: (row, { data }) => {
    if (!row) return row
    const { [data.holdId]: held = [], ...holds } = row.holds
    const { parts = held, renewed } = data
    const gone = held.filter((part) => !parts.some(({ lotId }) => lotId === part.lotId))
    const lots = moved(moved(row.lots, parts, { left: 1 }), gone, { lost: 1 })
    if (renewed) lots.push(lotOf(renewed.lotId, 'returned', renewed.amount, renewed.expiresAt))
    return { ...row, holds, lots }
  },
  CreditLotClosed: (row, { data }) => {
    if (!row) return row
    const { lotId, amount } = data
    const lots = moved(row.lots, [{ lotId, amount }], TAKEN)
    return { ...row, lots: lots.map((lot) => (lot.id === lotId ? { ...lot, closed: true } : lot)) }
  },
  CreditsReversed: (row, { data }) =>
    row && { ...row, lots: moved(row.lots, data.parts, TAKEN), debt: row.debt + data.debt },
  CreditsRestored: (row, { data: { lotId, amount, newLotId } }) => {
    if (!row) return row
    if (newLotId === null) return { ...row, lots: moved(row.lots, [{ lotId, amount }], { left: 1, lost: -1 }) }
    return { ...row, lots: [...row.lots, lotOf(newLotId, 'payment', amount, null)] }
  },
  CreditDebtRepaid: (row, { data }) =>
    row && { ...row, lots: moved(row.lots, data.parts, TAKEN), debt: row.debt - sum(data.parts) },
  CreditsWithdrawn: (row, { data }) => row && { ...row, lots: moved(row.lots, data.parts, TAKEN) },
}

/** Folds an event into the lots, and counts the entry that it adds to the user's statement. */
function counted(row: CreditBalanceRow | undefined, event: Stored<CreditAccountEvent>): CreditBalanceRow | undefined {
  const changed = LOTS[event.type](row, event as never, event)
  const movement = movementOf(event)
  if (!changed || !movement) return changed
  const { entry_count, entry_sum } = changed
  return {
    ...changed,
    entry_count: entry_count + 1,
    entry_sum: entry_sum + movement.amount,
    last_entry: event.revision,
  }
}

export const creditBalances: Projection<CreditAccountEvent, CreditBalanceRow> = {
  name: 'creditBalances',
  version: 3,
  table: CreditBalanceTable,
  categories: [CREDIT_ACCOUNT],
  schemas: CREDIT_ACCOUNT_EVENTS,
  row: (event) => event.data.userId,
  on: {
    CreditLotGranted: counted,
    CreditsHeld: counted,
    SpendersSet: counted,
    CreditsCaptured: counted,
    CreditsReleased: counted,
    CreditLotClosed: counted,
    CreditsReversed: counted,
    CreditsRestored: counted,
    CreditDebtRepaid: counted,
    CreditsWithdrawn: counted,
  },
}

/**
 * Returns a user's credits at an instant. `remaining` is the spendable balance, negative if the user owes credits.
 * `used` counts credits spent or held from the current period's lots: the last subscription or allowance lot, or
 * else the free grants. `ofPlan` counts the credits that are forfeited when the plan ends.
 */
export function creditFigures(row: CreditBalanceRow | undefined, at: string) {
  if (!row) return { remaining: 0, used: 0, ofPlan: 0 }
  const open = row.lots.filter((lot) => !lot.closed && (lot.expires_at === null || lot.expires_at > at))
  const last = open.findLast(({ source }) => source === 'subscription' || source === 'allowance')
  const period = last ? [last] : row.lots.filter(({ source }) => source === 'free')
  return {
    remaining: open.reduce((total, lot) => total + lot.left, 0) - row.debt,
    ofPlan: open.reduce((total, { source, left }) => total + (source === 'subscription' ? left : 0), 0),
    used: period.reduce((total, { granted, left, lost }) => total + granted - left - lost, 0),
  }
}
