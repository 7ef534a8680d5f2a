import type { EndedIds } from '../kernel/eventsourcing/pure/endedIds.ts'
import type { LotPart, LotSource, Spender } from './events.ts'
import type { KeyOfHold, KeySpending } from './keySpending.rules.ts'

/** Credits that were granted together and expire together. Amounts are whole credits. */
export interface Lot {
  readonly id: string
  readonly source: LotSource
  readonly granted: number
  /** Credits that remain in the lot: not held, spent, withdrawn, claimed back or forfeited. */
  readonly left: number
  readonly forfeited: number
  /** Credits claimed back because the payment was reversed. */
  readonly reversed: number
  /** Credits that had been claimed back when credits of the lot were last forfeited; missing if none had. */
  readonly reversedBefore?: number
  readonly expiresAt: string | null
  /** Id of the closed lot whose credits a won dispute gave back in this one. */
  readonly replaces?: string
}

/** A user's credits. Amounts are whole credits. The size grows with grants and corrections, but not with videos. */
export interface CreditAccount {
  /** Open lots in grant order. */
  readonly lots: readonly Lot[]
  /** Closed lots, except those of source `returned`: they cannot be granted again, but still reversed. */
  readonly closed: readonly Lot[]
  /** Open holds: credits set aside for unfinished tasks. */
  readonly holds: readonly Hold[]
  /** Credits owed after a reversal. New credits repay it first, so no open lot has credits left while debt remains. */
  readonly debt: number
  /** Ids of settled holds. */
  readonly settled: EndedIds
  /** Ids of all reversals, restorations and withdrawals, which make them idempotent. */
  readonly corrected: readonly string[]
  /** What API keys, and members of the team, have held and spent. */
  readonly keys: readonly KeySpending[]
  /** Members of the owner's team, as of a revision of its stream. */
  readonly team: Readonly<{ revision: number; spenders: readonly Spender[] }>
}

/** `key` and `member` have spent the credits, until they are released. */
type Hold = Readonly<{ id: string; parts: readonly LotPart[]; key?: KeyOfHold; member?: KeyOfHold }>

export function newLot(id: string, source: LotSource, amount: number, expiresAt: string | null): Lot {
  return { id, source, granted: amount, left: amount, forfeited: 0, reversed: 0, expiresAt }
}

/** Returns whether a lot is valid at a given time. It is already expired at `expiresAt`. */
export const isValid = ({ expiresAt }: Lot, at: string): boolean => expiresAt === null || expiresAt > at

/** Returns how many credits of a lot can still be claimed back: the user could use them, and they were not claimed yet. */
export function claimable(lot: Lot, at: string): number {
  const expired = isValid(lot, at) ? 0 : lot.left
  return Math.max(0, lot.granted - lot.forfeited - lot.reversed - expired)
}

/**
 * Returns how many credits the reversals of a sale take from the user, of the `claimed` ones that are their share of the money.
 * Those that were forfeited before are gone already: the user must not lose the used ones, which the rest of the money pays for.
 */
export function takenBy({ forfeited, reversedBefore = 0 }: Lot, claimed: number): number {
  const before = Math.min(claimed, reversedBefore)
  return before + Math.max(0, claimed - before - forfeited)
}

/** Returns the number of credits that can be spent at a given time. */
export const available = (lots: readonly Lot[], at: string): number =>
  lots.reduce((sum, lot) => sum + (isValid(lot, at) ? lot.left : 0), 0)

export const total = (parts: readonly LotPart[]): number => parts.reduce((sum, { amount }) => sum + amount, 0)

/** Returns a sort key: lots with an expiry, soonest first, then subscription lots, then lots that never expire. */
const expiryOrder = (lot: Lot) => lot.expiresAt ?? (lot.source === 'subscription' ? '~' : '~~')

/**
 * Allocates `amount` credits to valid lots, soonest expiry first, then oldest grant first. Allocates fewer if fewer are
 * available.
 */
export function allocate(lots: readonly Lot[], amount: number, at: string): LotPart[] {
  const parts: LotPart[] = []
  let missing = amount
  const byExpiry = (a: Lot, b: Lot) => (expiryOrder(a) < expiryOrder(b) ? -1 : expiryOrder(a) > expiryOrder(b) ? 1 : 0)
  if (missing === 0) return parts
  for (const lot of lots.filter((each) => each.left > 0 && isValid(each, at)).sort(byExpiry)) {
    if (missing === 0) break
    const taken = Math.min(lot.left, missing)
    parts.push({ lotId: lot.id, amount: taken })
    missing -= taken
  }
  return parts
}

const post = (field: 'left' | 'forfeited', sign: 1 | -1) => (lots: readonly Lot[], parts: readonly LotPart[]) =>
  lots.map((lot) => {
    const part = parts.find(({ lotId }) => lotId === lot.id)
    return part ? { ...lot, [field]: lot[field] + sign * part.amount } : lot
  })

/** Subtracts the parts from their lots. */
export const debit = post('left', -1)
/** Adds the parts back to their lots. */
export const credit = post('left', 1)
const addForfeited = post('forfeited', 1)
/** Records the parts, which are no longer in their lots, as forfeited. */
export const forfeit = (lots: readonly Lot[], parts: readonly LotPart[]): Lot[] =>
  addForfeited(lots, parts).map((lot, n) => {
    const isLess = lot.forfeited > (lots[n]?.forfeited ?? 0)
    return isLess && lot.reversed > 0 ? { ...lot, reversedBefore: lot.reversed } : lot
  })
