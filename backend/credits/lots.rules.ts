import type { LotPart, LotSource } from './events.ts'

/** Credits that came together and expire together. Amounts are whole credits. */
export interface Lot {
  readonly id: string
  readonly source: LotSource
  readonly granted: number
  /** Neither spent, held, taken nor forfeited. */
  readonly left: number
  readonly forfeited: number
  /** Claimed back with the money for them. */
  readonly reversed: number
  readonly expiresAt: string | null
  readonly closed: boolean
}

export const newLot = (id: string, source: LotSource, amount: number, expiresAt: string | null): Lot => ({
  id,
  source,
  granted: amount,
  left: amount,
  forfeited: 0,
  reversed: 0,
  expiresAt,
  closed: false,
})

/** Whether credits may be taken from the lot, or given back to it, at an instant. */
export const isOpen = (lot: Lot, at: string): boolean => !lot.closed && (lot.expiresAt === null || lot.expiresAt > at)

/** Credits that can be spent at an instant: held ones are off, lots that are over do not count. */
export const available = (lots: readonly Lot[], at: string): number =>
  lots.reduce((sum, lot) => sum + (isOpen(lot, at) ? lot.left : 0), 0)

export const total = (parts: readonly LotPart[]): number => parts.reduce((sum, { amount }) => sum + amount, 0)

/** Behind every date: credits of a subscription, which go when it ends, before those that never go. */
const order = (lot: Lot) => lot.expiresAt ?? (lot.source === 'subscription' ? '~' : '~~')

/** Takes up to an amount from the lots that go soonest; among equals, from the one granted first. */
export function takeFrom(lots: readonly Lot[], amount: number, at: string): LotPart[] {
  const parts: LotPart[] = []
  let missing = amount
  for (const lot of lots.toSorted((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0))) {
    if (missing === 0) break
    if (lot.left === 0 || !isOpen(lot, at)) continue
    const taken = Math.min(lot.left, missing)
    parts.push({ lotId: lot.id, amount: taken })
    missing -= taken
  }
  return parts
}

/** Adds to the lots (or, with -1, takes away) what the parts say. */
export const moved = (lots: readonly Lot[], parts: readonly LotPart[], sign: 1 | -1): readonly Lot[] =>
  lots.map((lot) => {
    const part = parts.find(({ lotId }) => lotId === lot.id)
    return part ? { ...lot, left: lot.left + sign * part.amount } : lot
  })
