import { describe, expect, it } from 'vitest'
import type { CreditAccountEvent, LotSource } from '#backend/credits/events.ts'
import { rowsOf } from '../testing/rowsOf.ts'
import { creditFlows } from './creditFlow.ts'

const userId = 'user'
const at = '2026-01-10T00:00:00.000Z'
const later = '2026-01-11T00:00:00.000Z'
const part = (lotId: string, amount: number) => ({ lotId, amount })
const parts = [part('a', 10), part('b', 20)]
/** Events with ids, as the store returns them. */
const rows = (...events: CreditAccountEvent[]) =>
  rowsOf(creditFlows, ...events.map((event, n) => ({ ...event, id: `event-${n}`, revision: n }) as never))
const granted = (source: LotSource): CreditAccountEvent => ({
  type: 'CreditLotGranted',
  data: { userId, lotId: 'a', source, amount: 60, expiresAt: null, at },
})
const held: CreditAccountEvent = { type: 'CreditsHeld', data: { userId, holdId: 'task', parts, at } }

describe('credit flows', () => {
  it.each([
    ['subscription', 'sold'],
    ['payment', 'sold'],
    ['free', 'given'],
    ['adjustment', 'given'],
  ] as const)('from %s is %s', (source, kind) => {
    expect(rows(granted(source))).toEqual([{ id: 'event-0', kind, amount: 60, at }])
  })
  it('hold the credits of a video, then count them as spent or drop them', () => {
    expect(rows(held)).toEqual([{ id: 'task', kind: 'held', amount: 30, at }])
    const captured: CreditAccountEvent = { type: 'CreditsCaptured', data: { userId, holdId: 'task', at: later } }
    expect(rows(held, captured)).toEqual([{ id: 'task', kind: 'spent', amount: 30, at: later }])
    expect(rows(captured)).toEqual([])
    const released: CreditAccountEvent = {
      type: 'CreditsReleased',
      data: { userId, holdId: 'task', reason: 'failed', parts, renewed: null, at: later },
    }
    expect(rows(held, released)).toEqual([])
    const forfeited = { ...released, data: { ...released.data, parts: [part('a', 10)], forfeited: [part('b', 20)] } }
    expect(rows(held, forfeited)).toEqual([{ id: 'task', kind: 'lapsed', amount: 20, at: later }])
  })
  it.each<CreditAccountEvent>([
    { type: 'CreditLotClosed', data: { userId, lotId: 'a', amount: 30, reason: 'expired', at } },
    { type: 'CreditsReversed', data: { userId, reversalId: 'r', lotId: 'a', parts, debt: 5, reason: 'refund', at } },
    { type: 'CreditDebtRepaid', data: { userId, parts, at } },
    { type: 'CreditsWithdrawn', data: { userId, adjustmentId: 'w', parts, reason: 'a mistake', at } },
  ])('has lapsed by $type', (event) => {
    expect(rows(event)).toEqual([{ id: 'event-0', kind: 'lapsed', amount: 30, at }])
  })
  it('have lapsed less by what a won dispute restored', () => {
    const data = { userId, restorationId: 'd', lotId: 'a', amount: 30, newLotId: null, at }
    expect(rows({ type: 'CreditsRestored', data })).toEqual([{ id: 'event-0', kind: 'lapsed', amount: -30, at }])
  })
  it('skip a lot that is closed with nothing left', () => {
    expect(rows({ type: 'CreditLotClosed', data: { userId, lotId: 'a', amount: 0, reason: 'expired', at } })).toEqual(
      [],
    )
  })
})
