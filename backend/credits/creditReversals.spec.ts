import { describe, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { CreditAccountCommand } from './commands.ts'
import { creditAccount } from './creditAccount.decider.ts'
import type { CreditAccountEvent, LotPart } from './events.ts'
import {
  at,
  captured,
  closed,
  day,
  grant,
  granted,
  held,
  hold,
  part,
  plan,
  release,
  released,
  userId,
} from './testing/creditFacts.ts'

const given = specification(creditAccount)

describe('reversing a lot', () => {
  const reverse = (lotId: string, amount?: number, stillClaimed?: number): CreditAccountCommand => ({
    type: 'ReverseLot',
    userId,
    reversalId: 'r',
    lotId,
    reason: 'refund',
    ...(amount === undefined ? {} : { amount }),
    ...(stillClaimed === undefined ? {} : { stillClaimed }),
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
    given(granted('free', 60), granted('soon', 30, day(20)), plan('p', 100))
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
  it('claims no used credits when the share of the forfeited ones is refunded, and those with the rest', () => {
    const ended = [granted('free', 20), plan('p', 100), held('t', part('p', 30)), captured('t'), closed('p', 70)]
    given(...ended)
      .when(reverse('p', 50, 50))
      .decides(reversed('p', [], 0))
    given(...ended)
      .when(reverse('p', 30, 80))
      .decides(reversed('p', [part('free', 10)], 0))
    given(...ended)
      .when(reverse('p', 20, 100))
      .decides(reversed('p', [part('free', 20)], 0))
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

describe('restoring a lot after a dispute is won', () => {
  const reversed = (debt: number, ...parts: LotPart[]): CreditAccountEvent => ({
    type: 'CreditsReversed',
    data: { userId, reversalId: 'r', lotId: 'a', parts, debt, reason: 'reversal', at },
  })
  const again = (debt: number) =>
    ({ type: 'CreditsReversed', data: { ...reversed(debt).data, reversalId: 'r2' } }) as CreditAccountEvent
  const restore = (amount: number, stillClaimed = 0): CreditAccountCommand => ({
    type: 'RestoreLot',
    userId,
    restorationId: 'd',
    lotId: 'a',
    amount,
    stillClaimed,
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
  it('gives back none that other reversals still claim', () => {
    const claimed = [granted('a', 60), reversed(0, part('a', 40))]
    given(...claimed)
      .when(restore(30, 30))
      .decides(restored(10))
    given(...claimed)
      .when(restore(30, 40))
      .decidesNothing()
  })
  it('gives back what was claimed of used credits, although forfeited ones cover other reversals', () => {
    const ended = [
      granted('a', 100),
      held('t', part('a', 30)),
      captured('t'),
      { ...closed, data: { ...closed.data, amount: 70 } },
    ]
    given(...ended, reversed(10), again(20))
      .when(restore(20, 80))
      .decides(restored(20, 'restored-d'), {
        type: 'CreditDebtRepaid',
        data: { userId, parts: [part('restored-d', 20)], at },
      })
  })
  it('gives back no credits that were forfeited after other reversals had claimed theirs', () => {
    const ended = { ...closed, data: { ...closed.data, amount: 20 } }
    const used = [granted('a', 100), held('t', part('a', 30)), captured('t')]
    given(...used, reversed(0, part('a', 50)), ended, again(30))
      .when(restore(50, 50))
      .decides(restored(30, 'restored-d'), {
        type: 'CreditDebtRepaid',
        data: { userId, parts: [part('restored-d', 30)], at },
      })
  })
  it('gives back even a single credit', () => {
    given(granted('a', 60), reversed(0, part('a', 40)))
      .when(restore(1))
      .decides(restored(1))
  })
  it('ignores a repeated restoration or reversal after the credits were claimed again', () => {
    const again = (reversalId: string) =>
      ({ type: 'ReverseLot', userId, reversalId, lotId: 'a', reason: 'reversal', at }) as const
    const r2 = { ...reversed(0, part('a', 40)).data, reversalId: 'r2' }
    const history = [granted('a', 60), reversed(0, part('a', 40)), restored(40)]
    given(...history, { type: 'CreditsReversed', data: r2 } as CreditAccountEvent)
      .when(restore(40))
      .decidesNothing()
    given(...history)
      .when(again('r'))
      .decidesNothing()
  })
  it('leaves the claims of other lots unchanged', () => {
    const ofB = { ...reversed(0, part('b', 40)).data, reversalId: 'rb', lotId: 'b' }
    given(
      granted('a', 60),
      granted('b', 60),
      reversed(0, part('a', 40)),
      { type: 'CreditsReversed', data: ofB } as CreditAccountEvent,
      restored(40),
    )
      .when({ type: 'RestoreLot', userId, restorationId: 'db', lotId: 'b', amount: 60, stillClaimed: 0, at })
      .decides({
        type: 'CreditsRestored',
        data: { userId, restorationId: 'db', lotId: 'b', amount: 40, newLotId: null, at },
      })
  })
  it('leaves an expired lot as it is: the credits are in the new lot, beside the other lots', () => {
    const over = [granted('a', 60, day(9)), granted('b', 5), reversed(0, part('a', 40))]
    given(...over)
      .when(restore(40))
      .decides(restored(40, 'restored-d'))
    given(...over, restored(40, 'restored-d'))
      .when({ type: 'ExpireLots', userId, at })
      .decides({ type: 'CreditLotClosed', data: { userId, lotId: 'a', amount: 20, reason: 'expired', at } })
    given(...over, restored(40, 'restored-d'))
      .when(hold('t', 45))
      .decides(held('t', part('b', 5), part('restored-d', 40)))
  })
  it('repays the debt of the claim first', () => {
    given(granted('a', 60), held('t', part('a', 60)), captured('t'), reversed(60))
      .when(restore(60))
      .decides(restored(60), { type: 'CreditDebtRepaid', data: { userId, parts: [part('a', 60)], at } })
  })
  const second = { userId, reversalId: 'r2', lotId: 'a', reason: 'refund', at }
  const claimAgain: CreditAccountCommand = { type: 'ReverseLot', ...second }
  const claimedAgain = (...parts: LotPart[]): CreditAccountEvent => ({
    type: 'CreditsReversed',
    data: { ...second, parts, debt: 0 },
  })
  it('gives the credits of a closed lot a new lot, which can be claimed again with it', () => {
    const over = [granted('a', 60), reversed(0, part('a', 60)), closed]
    given(...over)
      .when(restore(60))
      .decides(restored(60, 'restored-d'))
    given(...over, restored(60, 'restored-d'))
      .when(claimAgain)
      .decides(claimedAgain(part('restored-d', 60)))
  })
  it('claims the credits of the new lot before those of other lots, which expire or end sooner', () => {
    const over = [granted('a', 60), reversed(0, part('a', 60)), closed, restored(60, 'restored-d')]
    given(...over, plan('p', 100), granted('soon', 30, day(20)), held('t', part('restored-d', 20)))
      .when(claimAgain)
      .decides(claimedAgain(part('restored-d', 40), part('soon', 20)))
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
  it('records the signature of the operator', () => {
    given(granted('free', 60))
      .when({ ...take(30), signature: 'signed' } as CreditAccountCommand)
      .decides({
        type: 'CreditsWithdrawn',
        data: {
          userId,
          adjustmentId: 'w',
          parts: [part('free', 30)],
          reason: 'a mistake',
          at,
          signature: 'signed',
        },
      })
  })
  it('rejects a withdrawal of more credits than are available', () => {
    given(granted('free', 20)).when(take(21)).rejects('insufficient_credits')
  })
})
