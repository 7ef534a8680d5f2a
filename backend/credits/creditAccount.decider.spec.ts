import { describe, expect, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import { type CreditAccountCommand, creditAccount } from './creditAccount.decider.ts'
import type { CreditAccountEvent, LotPart } from './events.ts'

const given = specification(creditAccount)
const userId = 'user'
const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`
const at = day(10)

const granted = (lotId: string, amount: number, expiresAt: string | null = null): CreditAccountEvent => ({
  type: 'CreditLotGranted',
  data: { userId, lotId, source: 'free', amount, expiresAt, at: day(1) },
})
const held = (holdId: string, ...parts: LotPart[]): CreditAccountEvent => ({
  type: 'CreditsHeld',
  data: { userId, holdId, parts, at },
})
const captured = (holdId: string): CreditAccountEvent => ({ type: 'CreditsCaptured', data: { userId, holdId, at } })
const renewalExpiresAt = '2026-02-09T00:00:00.000Z'
const released = (holdId: string, parts: LotPart[], renewedAmount = 0): CreditAccountEvent => ({
  type: 'CreditsReleased',
  data: {
    userId,
    holdId,
    reason: 'not delivered',
    parts,
    renewed:
      renewedAmount > 0 ? { lotId: `returned-${holdId}`, amount: renewedAmount, expiresAt: renewalExpiresAt } : null,
    at,
  },
})
const part = (lotId: string, amount: number): LotPart => ({ lotId, amount })
const hold = (holdId: string, amount: number, openLimit = 2): CreditAccountCommand => ({
  type: 'HoldCredits',
  userId,
  holdId,
  amount,
  openLimit,
  at,
})
const capture = (holdId: string): CreditAccountCommand => ({ type: 'CaptureHold', userId, holdId, at })
const release = (holdId: string): CreditAccountCommand => ({
  type: 'ReleaseHold',
  userId,
  holdId,
  reason: 'not delivered',
  byOwner: false,
  renewalExpiresAt,
  at,
})
const grant = (lotId: string, amount: number): CreditAccountCommand => ({
  type: 'GrantLot',
  userId,
  lotId,
  source: 'free',
  amount,
  expiresAt: null,
  at: day(1),
})

describe('granting a lot', () => {
  it('grants a lot once when the command is repeated', () => {
    given().when(grant('a', 60)).decides(granted('a', 60))
    given(granted('a', 60)).when(grant('a', 999)).decidesNothing()
  })
  it('grants a second lot', () => {
    given(granted('a', 60)).when(grant('b', 5)).decides(granted('b', 5))
  })
})

describe('holding credits', () => {
  it('holds credits of the only lot', () => {
    given(granted('a', 60))
      .when(hold('t', 30))
      .decides(held('t', part('a', 30)))
  })
  it('holds credits of the lot that expires soonest, whatever the order of grants', () => {
    given(granted('never', 60), granted('late', 20, day(25)), granted('soon', 10, day(20)))
      .when(hold('t', 40))
      .decides(held('t', part('soon', 10), part('late', 20), part('never', 10)))
  })
  it('holds credits of the oldest lot first among 40 lots that expire together', () => {
    const lots = Array.from({ length: 40 }, (_, n) => granted(`lot${n}`, 1, day(20)))
    const parts = Array.from({ length: 40 }, (_, n) => part(`lot${n}`, 1))
    given(...lots)
      .when(hold('t', 40))
      .decides(held('t', ...parts))
  })
  it('skips lots that are empty or expired', () => {
    given(granted('gone', 60, day(9)), granted('empty', 5), held('x', part('empty', 5)), granted('good', 30))
      .when(hold('t', 30))
      .decides(held('t', part('good', 30)))
  })
  it('treats a lot as expired at the instant of its expiry', () => {
    given(granted('a', 60, at))
      .when(hold('t', 30))
      .rejects('insufficient_credits')
  })
  it('holds credits once per task, even when no credits are left', () => {
    given(granted('a', 30), held('t', part('a', 30)))
      .when(hold('t', 30))
      .decidesNothing()
  })
  it('rejects a hold without enough credits and reports how many are left', () => {
    given(granted('a', 29)).when(hold('t', 30)).rejects('insufficient_credits')
    const account = [granted('a', 29)].reduce(creditAccount.evolve, creditAccount.initial)
    expect(() => creditAccount.decide(hold('t', 30), account)).toThrow(
      expect.objectContaining({ fields: { required: 30, remaining: 29 } }),
    )
  })
  it('rejects a hold above the limit of open tasks, and allows it after one has ended', () => {
    const two = [granted('a', 90), held('t', part('a', 30)), held('u', part('a', 30))]
    given(...two)
      .when(hold('v', 30))
      .rejects('queue_full')
    given(...two, captured('u'))
      .when(hold('v', 30))
      .decides(held('v', part('a', 30)))
    given(...two)
      .when(hold('v', 30, 3))
      .decides(held('v', part('a', 30)))
  })
  it('rejects a hold for missing credits before it checks the limit of open tasks', () => {
    given(granted('a', 60), held('t', part('a', 30)), held('u', part('a', 30)))
      .when(hold('v', 30))
      .rejects('insufficient_credits')
  })
  it('rejects a second hold for a settled task', () => {
    given(granted('a', 60), held('t', part('a', 30)), captured('t'))
      .when(hold('t', 30))
      .rejects('hold_settled')
    given(granted('a', 60), held('t', part('a', 30)), released('t', [part('a', 30)]))
      .when(hold('t', 30))
      .rejects('hold_settled')
  })
})

describe('restoring a lot after a dispute is won', () => {
  const reversed = (debt: number, ...parts: LotPart[]): CreditAccountEvent => ({
    type: 'CreditsReversed',
    data: { userId, reversalId: 'r', lotId: 'a', parts, debt, reason: 'reversal', at },
  })
  const restore = (amount: number): CreditAccountCommand => ({
    type: 'RestoreLot',
    userId,
    restorationId: 'd',
    lotId: 'a',
    amount,
    at,
  })
  const restored = (amount: number, newLotId: string | null = null): CreditAccountEvent => ({
    type: 'CreditsRestored',
    data: { userId, restorationId: 'd', lotId: 'a', amount, newLotId, at },
  })
  const closed: CreditAccountEvent = {
    type: 'CreditLotClosed',
    data: { userId, lotId: 'a', amount: 0, reason: 'subscription_ended', at },
  }

  it('gives back once what was claimed, and never more', () => {
    const claimed = [granted('a', 60), reversed(0, part('a', 40))]
    given(...claimed)
      .when(restore(60))
      .decides(restored(40))
    given(...claimed, restored(40))
      .when(restore(60))
      .decidesNothing()
    given(granted('a', 60)).when(restore(60)).decidesNothing()
    given().when(restore(60)).decidesNothing()
  })
  it('repays the debt of the claim first', () => {
    given(granted('a', 60), held('t', part('a', 60)), captured('t'), reversed(60))
      .when(restore(60))
      .decides(restored(60), { type: 'CreditDebtRepaid', data: { userId, parts: [part('a', 60)], at } })
  })
  it('gives the credits of a closed lot a new lot, which can be claimed again with it', () => {
    const over = [granted('a', 60), reversed(0, part('a', 60)), closed]
    given(...over)
      .when(restore(60))
      .decides(restored(60, 'restored-d'))
    given(...over, restored(60, 'restored-d'))
      .when({ type: 'ReverseLot', userId, reversalId: 'r2', lotId: 'a', reason: 'reversal', at })
      .decides({
        type: 'CreditsReversed',
        data: {
          userId,
          reversalId: 'r2',
          lotId: 'a',
          parts: [part('restored-d', 60)],
          debt: 0,
          reason: 'reversal',
          at,
        },
      })
  })
})

describe('settling a hold', () => {
  const open = [granted('a', 60, day(20)), granted('b', 60), held('t', part('a', 60), part('b', 30))]
  it('captures a hold', () => {
    given(...open)
      .when(capture('t'))
      .decides(captured('t'))
  })
  const back = released('t', [part('a', 60), part('b', 30)])
  it('releases a hold to the lots of its credits', () => {
    given(...open)
      .when(release('t'))
      .decides(back)
    given(...open, back)
      .when(hold('u', 120))
      .decides(held('u', part('a', 60), part('b', 60)))
  })
  it('releases credits of an expired or closed lot into a new lot for 30 days', () => {
    const late = { type: 'CreditsReleased', data: { ...released('t', [part('b', 30)], 60).data, at: day(21) } }
    given(...open)
      .when({ ...release('t'), at: day(21) } as CreditAccountCommand)
      .decides(late as CreditAccountEvent)
    given(...open, closed('b', 30))
      .when(release('t'))
      .decides(released('t', [part('a', 60)], 30))
    given(...open, closed('b', 30), released('t', [part('a', 60)], 30))
      .when(hold('u', 90))
      .decides(held('u', part('a', 60), part('returned-t', 30)))
  })
  it('does not make credits of an expired lot spendable by releasing them', () => {
    given(...open, back)
      .when({ ...hold('u', 61), at: day(21) } as CreditAccountCommand)
      .rejects('insufficient_credits')
  })
  it('neither releases a captured hold nor captures a released one', () => {
    given(...open, captured('t'))
      .when(release('t'))
      .decidesNothing()
    given(...open, back)
      .when(capture('t'))
      .decidesNothing()
  })
  it('ignores a capture or release without a hold', () => {
    given(...open)
      .when(capture('other'))
      .decidesNothing()
    given(...open)
      .when(release('other'))
      .decidesNothing()
  })
})

const closed = (lotId: string, amount: number, reason: 'expired' | 'subscription_ended' = 'expired') =>
  ({ type: 'CreditLotClosed', data: { userId, lotId, amount, reason, at } }) as const
const plan = (lotId: string, amount: number): CreditAccountEvent => ({
  type: 'CreditLotGranted',
  data: { userId, lotId, source: 'subscription', amount, expiresAt: null, reference: lotId, at: day(1) },
})

describe('closing lots', () => {
  it('closes expired lots with the credits left in them', () => {
    given(granted('a', 60, day(9)), granted('b', 5), held('t', part('a', 20)))
      .when({ type: 'ExpireLots', userId, at })
      .decides(closed('a', 40))
  })
  it('closes the lots of an ended subscription, also empty ones, and no others', () => {
    given(granted('free', 60), plan('p', 100), plan('q', 50), held('t', part('q', 50)))
      .when({ type: 'ForfeitLots', userId, lotIds: ['p', 'q', 'not granted'], at })
      .decides(closed('p', 100, 'subscription_ended'), closed('q', 0, 'subscription_ended'))
  })
  it('holds subscription credits before credits that never expire', () => {
    given(granted('free', 60), plan('p', 20))
      .when(hold('t', 30))
      .decides(held('t', part('p', 20), part('free', 10)))
  })
})

describe('reversing a lot', () => {
  const reverse = (lotId: string, amount?: number): CreditAccountCommand => ({
    type: 'ReverseLot',
    userId,
    reversalId: 'r',
    lotId,
    reason: 'refund',
    ...(amount === undefined ? {} : { amount }),
    at,
  })
  const reversed = (lotId: string, parts: LotPart[], debt: number): CreditAccountEvent => ({
    type: 'CreditsReversed',
    data: { userId, reversalId: 'r', lotId, parts, debt, reason: 'refund', at },
  })
  const repaid = (...parts: LotPart[]): CreditAccountEvent => ({
    type: 'CreditDebtRepaid',
    data: { userId, parts, at },
  })

  it('claims the credits from their own lot', () => {
    given(granted('free', 60), plan('p', 100))
      .when(reverse('p'))
      .decides(reversed('p', [part('p', 100)], 0))
  })
  it('claims part of the credits after a partial refund', () => {
    given(plan('p', 100))
      .when(reverse('p', 40))
      .decides(reversed('p', [part('p', 40)], 0))
  })
  it('claims spent credits from other lots, and records the rest as debt', () => {
    const spent = [granted('free', 20), plan('p', 100), held('t', part('p', 90)), captured('t')]
    given(...spent)
      .when(reverse('p'))
      .decides(reversed('p', [part('p', 10), part('free', 20)], 70))
  })
  it('does not claim forfeited credits', () => {
    given(plan('p', 100), held('t', part('p', 30)), captured('t'), closed('p', 70))
      .when(reverse('p'))
      .decides(reversed('p', [], 30))
  })
  it('repays debt from the next grant or release before credits can be spent', () => {
    const owing = [plan('p', 100), held('t', part('p', 80)), reversed('p', [part('p', 20)], 80)]
    given(...owing)
      .when({ ...grant('free', 50), at } as CreditAccountCommand)
      .decides(
        { type: 'CreditLotGranted', data: { ...granted('free', 50).data, at } } as CreditAccountEvent,
        repaid(part('free', 50)),
      )
    given(...owing)
      .when(release('t'))
      .decides(released('t', [part('p', 80)]), repaid(part('p', 80)))
    given(...owing)
      .when(hold('u', 1))
      .rejects('insufficient_credits')
  })
  it('decides nothing for a lot that is not granted yet', () => {
    given().when(reverse('p')).decidesNothing()
  })
})

describe('withdrawing credits', () => {
  const take = (amount: number): CreditAccountCommand => ({
    type: 'WithdrawCredits',
    userId,
    adjustmentId: 'w',
    amount,
    reason: 'a mistake',
    at,
  })
  it('withdraws credits of the lots that expire soonest', () => {
    given(granted('free', 60), granted('soon', 10, day(20)))
      .when(take(30))
      .decides({
        type: 'CreditsWithdrawn',
        data: { userId, adjustmentId: 'w', parts: [part('soon', 10), part('free', 20)], reason: 'a mistake', at },
      })
  })
  it('rejects a withdrawal of more credits than are available', () => {
    given(granted('free', 20)).when(take(21)).rejects('insufficient_credits')
  })
})
