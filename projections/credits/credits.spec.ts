import { describe, expect, it } from 'vitest'
import type { CreditAccountEvent, LotPart } from '#backend/credits/events.ts'
import { rowsOf } from '../testing/rowsOf.ts'
import { type CreditBalanceRow, creditBalances, creditFigures } from './creditBalance.ts'
import { type CreditEntryRow, creditEntries, sum } from './creditEntry.ts'
import { openHolds } from './openHold.ts'

const userId = 'user'
const at = '2026-01-10T00:00:00.000Z'
const until = '2026-02-01T00:00:00.000Z'
const granted = (lotId: string, amount: number, expiresAt: string | null = null): CreditAccountEvent => ({
  type: 'CreditLotGranted',
  data: { userId, lotId, source: expiresAt ? 'subscription' : 'free', amount, expiresAt, at },
})
const part = (lotId: string, amount: number): LotPart => ({ lotId, amount })
const held = (holdId: string, ...parts: LotPart[]): CreditAccountEvent => ({
  type: 'CreditsHeld',
  data: { userId, holdId, parts, at },
})
const captured = (holdId: string): CreditAccountEvent => ({ type: 'CreditsCaptured', data: { userId, holdId, at } })
const released = (holdId: string, parts: LotPart[], renewed = 0): CreditAccountEvent => ({
  type: 'CreditsReleased',
  data: {
    userId,
    holdId,
    reason: 'cancelled',
    parts,
    renewed: renewed ? { lotId: `returned-${holdId}`, amount: renewed, expiresAt: until } : null,
    at,
  },
})
const closed = (lotId: string, amount: number): CreditAccountEvent => ({
  type: 'CreditLotClosed',
  data: { userId, lotId, amount, reason: 'subscription_ended', at },
})
const reversed = (lotId: string, debt: number, ...parts: LotPart[]): CreditAccountEvent => ({
  type: 'CreditsReversed',
  data: { userId, reversalId: 'r', lotId, parts, debt, reason: 'refund', at },
})
const repaid = (...parts: LotPart[]): CreditAccountEvent => ({ type: 'CreditDebtRepaid', data: { userId, parts, at } })
const withdrawn = (...parts: LotPart[]): CreditAccountEvent => ({
  type: 'CreditsWithdrawn',
  data: { userId, adjustmentId: 'w', parts, reason: 'a mistake', at },
})

const restored = (lotId: string, amount: number, newLotId: string | null): CreditAccountEvent => ({
  type: 'CreditsRestored',
  data: { userId, restorationId: 'd', lotId, amount, newLotId, at },
})

const lot = (id: string, left: number, lost = 0, closed = false) => ({
  id,
  source: id === 'a' ? 'free' : 'subscription',
  granted: id === 'a' ? 60 : 100,
  left,
  lost,
  expires_at: id === 'a' ? null : until,
  closed,
})
const grants = [granted('a', 60), granted('b', 100, until)]
const hold = held('t', part('b', 100), part('a', 20))
const holds = { t: [part('b', 100), part('a', 20)] }
const placed = (events: readonly CreditAccountEvent[]) =>
  events.map((event, revision) => ({ ...event, id: `event${revision}`, revision }))
const balance = (...events: readonly CreditAccountEvent[]) => rowsOf(creditBalances, ...placed(events))
const row = (lots: object[], holds: object = {}, debt = 0) => [
  expect.objectContaining({ id: 'user', lots, holds, debt }),
]

describe("a user's balance", () => {
  it('contains each granted lot', () => {
    expect(balance(...grants)).toEqual(row([lot('a', 60), lot('b', 100)]))
  })
  it('subtracts a hold from its lots, and removes it when it is captured', () => {
    expect(balance(...grants, hold)).toEqual(row([lot('a', 40), lot('b', 0)], holds))
    expect(balance(...grants, hold, captured('t'))).toEqual(row([lot('a', 40), lot('b', 0)]))
  })
  it('keeps the holds of several videos apart', () => {
    expect(balance(...grants, hold, held('u', part('a', 5)), captured('t'))).toEqual(
      row([lot('a', 35), lot('b', 0)], { u: [part('a', 5)] }),
    )
  })
  it('returns released credits to their lots', () => {
    expect(balance(...grants, hold, released('t', [part('b', 100), part('a', 20)]))).toEqual(
      row([lot('a', 60), lot('b', 100)]),
    )
  })
  it('returns credits of a closed lot in a new lot', () => {
    const renewed = {
      id: 'returned-t',
      source: 'returned',
      granted: 100,
      left: 100,
      lost: 0,
      expires_at: until,
      closed: false,
    }
    expect(balance(...grants, hold, closed('b', 0), released('t', [part('a', 20)], 100))).toEqual(
      row([lot('a', 60), lot('b', 0, 100, true), renewed]),
    )
  })
  it('subtracts the forfeited credits of a release from their closed lot', () => {
    const { type, data } = released('t', [part('a', 20)]) as CreditAccountEvent<'CreditsReleased'>
    const lost: CreditAccountEvent = { type, data: { ...data, forfeited: [part('b', 100)] } }
    expect(balance(...grants, hold, closed('b', 0), lost)).toEqual(row([lot('a', 60), lot('b', 0, 100, true)]))
  })
  it('subtracts forfeited, reversed and withdrawn credits', () => {
    expect(balance(...grants, closed('b', 100))).toEqual(row([lot('a', 60), lot('b', 0, 100, true)]))
    expect(balance(...grants, reversed('b', 5, part('b', 100), part('a', 60)))).toEqual(
      row([lot('a', 0, 60), lot('b', 0, 100)], {}, 5),
    )
    expect(balance(...grants, withdrawn(part('b', 10)))).toEqual(row([lot('a', 60), lot('b', 90, 10)]))
  })
  it('returns restored credits to their lot or, if it is closed, in a new lot', () => {
    const taken = [...grants, reversed('b', 0, part('b', 100))]
    expect(balance(...taken, restored('b', 40, null))).toEqual(row([lot('a', 60), lot('b', 40, 60)]))
    const renewed = { ...lot('new', 40), source: 'payment', granted: 40, expires_at: null }
    expect(balance(...taken, restored('b', 40, 'new'))).toEqual(row([lot('a', 60), lot('b', 0, 100), renewed]))
  })
  it('records the debt of a reversal until it is repaid', () => {
    expect(balance(granted('a', 60), reversed('b', 5), reversed('b', 3))).toEqual(row([lot('a', 60)], {}, 8))
    expect(balance(granted('a', 60), reversed('b', 5), repaid(part('a', 5)))).toEqual(row([lot('a', 55, 5)]))
  })
  it('comes with the number and sum of the entries, and the latest of them', () => {
    const events = [
      ...grants,
      hold,
      captured('t'),
      closed('b', 0),
      reversed('b', 5, part('a', 40)),
      repaid(part('a', 5)),
    ]
    const entries = rowsOf(creditEntries, ...placed(events)) as CreditEntryRow[]
    expect(balance(...events)).toMatchObject([
      { entry_count: entries.length, entry_sum: sum(entries), last_entry: entries.at(-1)!.revision },
    ])
    expect(entries.map(({ revision }) => revision)).toEqual([0, 1, 2, 5])
  })
})

describe('the figures of a balance', () => {
  it('are the credits that can be spent, and those used of the subscription lot', () => {
    const [used] = balance(
      ...grants,
      held('t', part('b', 70)),
      captured('t'),
      held('u', part('b', 10)),
    ) as CreditBalanceRow[]
    expect(creditFigures(used, at)).toEqual({ remaining: 80, used: 80, ofPlan: 20 })
  })
  it('are those of the free grant without an open subscription lot', () => {
    const [full] = balance(...grants, held('t', part('a', 30))) as CreditBalanceRow[]
    expect(creditFigures(full, '2026-01-31T23:59:59.999Z')).toEqual({ remaining: 130, used: 0, ofPlan: 100 })
    expect(creditFigures(full, until)).toEqual({ remaining: 30, used: 30, ofPlan: 0 })
  })
  it('exclude forfeited and withdrawn credits from those used, and subtract a debt', () => {
    const [owing] = balance(
      granted('a', 60),
      withdrawn(part('a', 10)),
      reversed('b', 5, part('a', 50)),
    ) as CreditBalanceRow[]
    expect(creditFigures(owing, at)).toEqual({ remaining: -5, used: 0, ofPlan: 0 })
  })
  it('count those used of the open lot of a plan or an allowance that came last', () => {
    const used = (...lots: [source: string, granted: number, left: number, closed?: boolean][]) => {
      const of = lots.map(([source, granted, left, closed = false]) => ({
        ...lot('x', left, 0, closed),
        source,
        granted,
      }))
      return creditFigures({ lots: of, debt: 0 } as never, at).used
    }
    expect(used(['subscription', 100, 50], ['allowance', 30, 10], ['payment', 5, 0])).toBe(20)
    expect(used(['allowance', 30, 10], ['subscription', 100, 50], ['subscription', 9, 0, true])).toBe(50)
    expect(used(['free', 60, 40], ['free', 10, 5], ['payment', 5, 0])).toBe(25)
  })
  it('are zero without a balance', () => {
    expect(creditFigures(undefined, at)).toEqual({ remaining: 0, used: 0, ofPlan: 0 })
  })
})

describe("a user's credit entries", () => {
  const entriesOf = (...events: CreditAccountEvent[]) => rowsOf(creditEntries, ...placed(events))
  const entry = (revision: number, kind: string, amount: number, reason: string, about: object) => ({
    id: `event${revision}`,
    user_id: userId,
    revision,
    kind,
    amount,
    reason,
    task_id: null,
    lot_id: null,
    spent_by: null,
    created_at: at,
    ...about,
  })
  it('list a grant, a hold that becomes a spend, and a release', () => {
    expect(
      entriesOf(
        granted('a', 60),
        held('t', part('a', 30)),
        captured('t'),
        held('u', part('a', 10)),
        released('u', [part('a', 4)], 6),
      ),
    ).toEqual([
      entry(0, 'grant', 60, 'free', { lot_id: 'a' }),
      entry(1, 'spend', -30, 'video', { id: 't', task_id: 't' }),
      entry(3, 'hold', -10, 'video', { id: 'u', task_id: 'u' }),
      entry(4, 'release', 10, 'cancelled', { task_id: 'u' }),
    ])
  })
  it('list an adjustment with its reason, an expiry, and what a won dispute restored', () => {
    const { type, data } = granted('a', 60) as CreditAccountEvent<'CreditLotGranted'>
    const { type: close, data: lost } = closed('b', 7) as CreditAccountEvent<'CreditLotClosed'>
    expect(
      entriesOf(
        { type, data: { ...data, source: 'adjustment', reason: 'an outage' } },
        { type: close, data: { ...lost, reason: 'expired' } },
        restored('b', 40, null),
      ),
    ).toEqual([
      entry(0, 'adjustment', 60, 'an outage', { lot_id: 'a' }),
      entry(1, 'expiry', -7, 'expired', { lot_id: 'b' }),
      entry(2, 'reversal', 40, 'dispute_won', { lot_id: 'b' }),
    ])
  })
  it('list what a release returned of a hold, and that the rest was forfeited', () => {
    const release = (holdId: string, parts: LotPart[]): CreditAccountEvent => {
      const { type, data } = released(holdId, parts) as CreditAccountEvent<'CreditsReleased'>
      return { type, data: { ...data, forfeited: [part('b', 10)] } }
    }
    const [, partly, , none] = entriesOf(
      held('t', part('a', 1), part('b', 10)),
      release('t', [part('a', 1)]),
      held('u', part('b', 10)),
      release('u', []),
    )
    expect(partly).toEqual(entry(1, 'release', 1, 'forfeited', { task_id: 't' }))
    expect(none).toEqual(entry(3, 'forfeit', 0, 'forfeited', { task_id: 'u' }))
  })
  it('list forfeits, reversals with their debt, and withdrawals, but neither empty lots nor repayments', () => {
    expect(
      entriesOf(
        closed('b', 100),
        closed('c', 0),
        reversed('b', 5, part('a', 50)),
        repaid(part('a', 5)),
        withdrawn(part('a', 2)),
      ),
    ).toEqual([
      entry(0, 'forfeit', -100, 'subscription_ended', { lot_id: 'b' }),
      entry(2, 'reversal', -55, 'refund', { lot_id: 'b' }),
      entry(4, 'adjustment', -2, 'a mistake', {}),
    ])
  })
})

describe('an open hold', () => {
  it('exists until it is captured or released', () => {
    expect(rowsOf(openHolds, ...grants, hold)).toEqual([{ id: 't', user_id: 'user', held_at: at }])
    expect(rowsOf(openHolds, hold, captured('t'))).toEqual([])
    expect(rowsOf(openHolds, hold, released('t', [part('b', 100), part('a', 20)]))).toEqual([])
  })
})
