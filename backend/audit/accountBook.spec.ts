import { describe, expect, it } from 'vitest'
import type { CreditAccountEvent, LotPart } from '../credits/events.ts'
import { AccountBook } from './accountBook.ts'

const userId = 'user'
const at = '2026-01-10T00:00:00.000Z'
const lot = { userId, source: 'subscription', amount: 100, expiresAt: null, at } as const
const HELD: readonly CreditAccountEvent[] = [
  { type: 'CreditLotGranted', data: { ...lot, lotId: 'p' } },
  { type: 'CreditLotGranted', data: { ...lot, lotId: 'q' } },
  { type: 'CreditsHeld', data: { userId, holdId: 't', parts: [{ lotId: 'p', amount: 30 }], at } },
]
const CLOSED: CreditAccountEvent = {
  type: 'CreditLotClosed',
  data: { userId, lotId: 'p', amount: 70, reason: 'subscription_ended', at },
}
const released = (parts: LotPart[], forfeited: LotPart[], renewed = 0): CreditAccountEvent => ({
  type: 'CreditsReleased',
  data: {
    userId,
    holdId: 't',
    reason: 'cancelled',
    parts,
    renewed: renewed > 0 ? { lotId: 'returned-t', amount: renewed, expiresAt: '2026-02-09T00:00:00.000Z' } : null,
    forfeited,
    at,
  },
})

/** Posts the events, which must be valid, and returns the book and the faults of the last one. */
function post(events: readonly CreditAccountEvent[], last: CreditAccountEvent) {
  const book = new AccountBook()
  for (const event of events) expect(book.post(event)).toEqual([])
  return { wrong: book.post(last), book }
}

describe('the books of a release that forfeits credits', () => {
  it('balance: what was held is returned, renewed or forfeited', () => {
    const { wrong, book } = post([...HELD, CLOSED], released([], [{ lotId: 'p', amount: 20 }], 10))
    expect(wrong).toEqual([])
    expect(book.total('forfeited')).toBe(90)
    expect(book.sums()).toEqual({ left: 110, held: 0 })
  })

  it.each([
    ['an open lot', HELD, [{ lotId: 'p', amount: 30 }], ['It forfeits credits of the open lot p.']],
    [
      'more than was held',
      [...HELD, CLOSED],
      [{ lotId: 'p', amount: 31 }],
      ['It forfeits 31 of the lot p, from which it did not hold them.', 'Its postings sum to 1, not to zero.'],
    ],
    ['less than was held', [...HELD, CLOSED], [{ lotId: 'p', amount: 29 }], ['Its postings sum to -1, not to zero.']],
  ])('are wrong if it forfeits credits of %s', (_, before, forfeited, wrong) => {
    expect(post(before, released([], forfeited)).wrong).toEqual(wrong)
  })
})
