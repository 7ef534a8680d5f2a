import { describe, expect, it } from 'vitest'
import type { CreditAccountEvent, LotPart } from '#backend/credits/events.ts'
import { rowsOf } from '../testing/rowsOf.ts'
import { type CreditBalanceRow, creditBalances, creditFigures } from './creditBalance.ts'
import { openHolds } from './openHold.ts'

const userId = 'user'
const at = '2026-01-10T00:00:00.000Z'
const granted = (lotId: string, amount: number, expiresAt: string | null = null): CreditAccountEvent => ({
  type: 'CreditLotGranted',
  data: { userId, lotId, source: expiresAt ? 'subscription' : 'free', amount, expiresAt, at },
})
const held = (holdId: string, ...parts: LotPart[]): CreditAccountEvent => ({
  type: 'CreditsHeld',
  data: { userId, holdId, parts, at },
})
const captured = (holdId: string): CreditAccountEvent => ({ type: 'CreditsCaptured', data: { userId, holdId, at } })
const released = (holdId: string): CreditAccountEvent => ({
  type: 'CreditsReleased',
  data: { userId, holdId, reason: 'cancelled', at },
})
const until = '2026-02-01T00:00:00.000Z'
const lots = (a: number, b: number) => [
  { id: 'a', source: 'free', granted: 60, left: a, expires_at: null },
  { id: 'b', source: 'subscription', granted: 100, left: b, expires_at: until },
]
const grants = [granted('a', 60), granted('b', 100, until)]
const hold = held('t', { lotId: 'b', amount: 100 }, { lotId: 'a', amount: 20 })
const holds = {
  t: [
    { lotId: 'b', amount: 100 },
    { lotId: 'a', amount: 20 },
  ],
}
const balance = (...events: readonly CreditAccountEvent[]) => rowsOf(creditBalances, ...events)

describe("a user's balance", () => {
  it('holds each lot that was granted', () => {
    expect(balance(...grants)).toEqual([{ id: 'user', lots: lots(60, 100), holds: {}, captured: 0 }])
  })
  it('takes what is held off its lots', () => {
    expect(balance(...grants, hold)).toEqual([{ id: 'user', lots: lots(40, 0), holds, captured: 0 }])
  })
  it('counts what was captured', () => {
    expect(balance(...grants, hold, captured('t'))).toEqual([
      { id: 'user', lots: lots(40, 0), holds: {}, captured: 120 },
    ])
  })
  it('puts back what was released, and knows lots that come after', () => {
    expect(
      balance(granted('a', 60), held('u', { lotId: 'a', amount: 30 }), granted('b', 100, until), released('u')),
    ).toEqual([{ id: 'user', lots: lots(60, 100), holds: {}, captured: 0 }])
  })
})

describe('the figures of a balance', () => {
  const [row] = balance(...grants, hold, captured('t'), held('u', { lotId: 'a', amount: 30 })) as CreditBalanceRow[]
  it('are what can be spent, and what is spent or set aside', () => {
    expect(creditFigures(row, at)).toEqual({ remaining: 10, used: 150 })
  })
  it('do not count lots that are over, from the very instant on', () => {
    const [full] = balance(...grants) as CreditBalanceRow[]
    expect(creditFigures(full, '2026-01-31T23:59:59.999Z')).toEqual({ remaining: 160, used: 0 })
    expect(creditFigures(full, until)).toEqual({ remaining: 60, used: 0 })
  })
  it('of nobody are nothing', () => {
    expect(creditFigures(undefined, at)).toEqual({ remaining: 0, used: 0 })
  })
})

describe('an open hold', () => {
  it('is there until it is captured or released', () => {
    expect(rowsOf(openHolds, ...grants, hold)).toEqual([{ id: 't', user_id: 'user', held_at: at }])
    expect(rowsOf(openHolds, hold, captured('t'))).toEqual([])
    expect(rowsOf(openHolds, hold, released('t'))).toEqual([])
  })
})
