import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goldenSnapshot } from '../kernel/eventsourcing/testing/goldenSnapshot.ts'
import { creditAccount } from './creditAccount.decider.ts'
import type { CreditAccountEvent } from './events.ts'
import { longAccount } from './testing/longAccount.ts'

const userId = 'user'
const at = '2026-01-10T00:00:00.000Z'
const later = '2026-02-10T00:00:00.000Z'
const granted = (lotId: string, amount: number, more: object = {}): CreditAccountEvent => ({
  type: 'CreditLotGranted',
  data: { userId, at, lotId, source: 'subscription', amount, expiresAt: null, ...more },
})
const held = (holdId: string, ...parts: { lotId: string; amount: number }[]): CreditAccountEvent => ({
  type: 'CreditsHeld',
  data: { userId, at, holdId, parts },
})
const released = (holdId: string, data: object): CreditAccountEvent =>
  ({ type: 'CreditsReleased', data: { userId, at, holdId, reason: 'not delivered', ...data } }) as CreditAccountEvent
const closed = (lotId: string, amount: number): CreditAccountEvent => ({
  type: 'CreditLotClosed',
  data: { userId, at, lotId, amount, reason: 'expired' },
})

const key = { id: '019b76da-a800-7000-8000-00000000000a', perDay: 60, perMonth: 600 }

const HISTORY: readonly CreditAccountEvent[] = [
  granted('free', 60, { source: 'free' }),
  granted('sale-1', 100, { reference: 'S1' }),
  granted('soon', 30, { source: 'adjustment', expiresAt: later }),
  held('t1', { lotId: 'soon', amount: 30 }, { lotId: 'sale-1', amount: 30 }),
  { type: 'CreditsCaptured', data: { userId, at, holdId: 't1' } },
  held('019b76da-a800-7000-8000-000000000001', { lotId: 'sale-1', amount: 50 }),
  released('019b76da-a800-7000-8000-000000000001', { parts: [{ lotId: 'sale-1', amount: 50 }], renewed: null }),
  held('t2', { lotId: 'sale-1', amount: 60 }),
  closed('sale-1', 10),
  released('t2', { parts: [], renewed: { lotId: 'returned-t2', amount: 60, expiresAt: later } }),
  closed('returned-t2', 60),
  {
    type: 'CreditsReversed',
    data: {
      userId,
      at,
      reversalId: 'R1',
      lotId: 'sale-1',
      parts: [{ lotId: 'free', amount: 60 }],
      debt: 20,
      reason: 'r',
    },
  },
  {
    type: 'CreditsRestored',
    data: { userId, at, restorationId: 'D1', lotId: 'sale-1', amount: 10, newLotId: 'restored-D1' },
  },
  granted('sale-2', 100),
  { type: 'CreditDebtRepaid', data: { userId, at, parts: [{ lotId: 'sale-2', amount: 20 }] } },
  {
    type: 'CreditsWithdrawn',
    data: { userId, at, adjustmentId: 'W1', parts: [{ lotId: 'sale-2', amount: 5 }], reason: 'r' },
  },
  {
    type: 'SpendersSet',
    data: { userId, at, teamId: 'team', revision: 4, spenders: [{ id: 'member', perMonth: 90 }] },
  },
  {
    type: 'CreditsHeld',
    data: { userId, at, holdId: 't3', parts: [{ lotId: 'sale-2', amount: 30 }], key, spentBy: 'member' },
  },
  {
    type: 'CreditsReversed',
    data: {
      userId,
      at,
      reversalId: 'R2',
      lotId: 'sale-2',
      parts: [{ lotId: 'sale-2', amount: 5 }],
      debt: 0,
      reason: 'r',
    },
  },
  closed('sale-2', 40),
]

describe('snapshots of credit accounts', () => {
  it('have the state of version 5', () => {
    expect(goldenSnapshot(creditAccount, HISTORY)).toEqual({
      version: 5,
      digest: '2af51a22ea6cc26475d2211b1e9ff52816a7e3a8eb48e8a7af620c34cab7829b',
    })
  })

  it('equal the folded state wherever they are taken', () => {
    const history = [...longAccount(userId, 5_000), ...HISTORY]
    const fold = (events: readonly CreditAccountEvent[], from = creditAccount.initial) =>
      events.reduce(creditAccount.evolve, from)
    const whole = fold(history)
    fc.assert(
      fc.property(fc.nat({ max: history.length }), (cut) => {
        const snapshot = JSON.parse(JSON.stringify(fold(history.slice(0, cut))))
        expect(fold(history.slice(cut), snapshot)).toEqual(whole)
      }),
      { numRuns: 30, seed: 20261121 },
    )
  })
})
