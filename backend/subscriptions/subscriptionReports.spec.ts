import { describe, expect, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { SubscriptionCommand } from './commands.ts'
import type { SubscriptionEvent } from './events.ts'
import { nextChangeDueAt, subscription } from './subscription.decider.ts'
import {
  activated,
  at,
  cancelled,
  ended,
  failed,
  on,
  paid,
  pass,
  reactivated,
  requested,
  running,
  sale,
  status,
  suspended,
  told,
  userId,
} from './testing/subscriptionFacts.ts'

const given = specification(subscription)

describe('a sale', () => {
  it('is stored once, with the credits it brings', () => {
    given(requested(), activated()).when(sale('s1')).decides(paid('s1'))
    given(...running)
      .when(sale('s1', { amountCents: 1 }))
      .decidesNothing()
  })
  it('of another amount or currency brings nothing, and says so once', () => {
    for (const wrong of [{ amountCents: 4498 }, { currency: 'EUR' }]) {
      const { amountCents, currency } = { amountCents: 4499, currency: 'USD', ...wrong }
      given(...running)
        .when(sale('s2', wrong))
        .decides({
          type: 'SubscriptionSaleMismatched',
          data: { userId, agreementId: 'A', at, saleId: 's2', amountCents, currency },
        })
    }
  })
  it('after the end is marked, since its credits stay', () => {
    given(...running, ended('A', 'unpaid'))
      .when(sale('s2', { soldAt: on('01-11'), periodEnd: on('02-11') }))
      .decides(paid('s2', on('01-11'), on('02-11'), true))
  })
  it('wakes a plan that rests', () => {
    given(...running, failed, suspended('unpaid', on('02-08')))
      .when(sale('s2', { soldAt: on('02-09'), periodEnd: on('03-09'), at: on('02-09') }))
      .decides(
        {
          ...paid('s2', on('02-09'), on('03-09')),
          data: { ...paid('s2', on('02-09'), on('03-09')).data, at: on('02-09') },
        } as SubscriptionEvent,
        { type: 'SubscriptionResumed', data: { userId, agreementId: 'A', at: on('02-09'), statusAt: null } },
      )
  })
  it('whose money went back is reversed once, in proportion', () => {
    const reversal = (reversalId: string, amountCents: number): SubscriptionCommand => ({
      type: 'ReportReversal',
      userId,
      saleId: 's1',
      reversalId,
      amountCents,
      kind: 'refund',
      at,
    })
    const reversed = (amountCents: number, credits: number): SubscriptionEvent => ({
      type: 'SubscriptionSaleReversed',
      data: { userId, agreementId: 'A', at, saleId: 's1', reversalId: 'r', kind: 'refund', amountCents, credits },
    })
    given(...running)
      .when(reversal('r', 4499))
      .decides(reversed(4499, 4500))
    given(...running)
      .when(reversal('r', 1000))
      .decides(reversed(1000, 1000))
    given(requested()).when(reversal('r', 4499)).rejects('unknown_sale')
  })
})

describe('a failed payment', () => {
  const report = (failedAt: string): SubscriptionCommand => ({
    type: 'ReportPaymentFailed',
    userId,
    agreementId: 'A',
    failedAt,
    graceUntil: on('02-08'),
    at,
  })
  it('leaves the plan for a while', () => {
    given(...running)
      .when(report(on('02-01')))
      .decides(failed)
    expect(nextChangeDueAt([...running, failed].reduce(subscription.evolve, subscription.initial))).toBe(on('02-08'))
  })
  it('is no news when a payment succeeded since', () => {
    given(...running, failed, paid('s2', on('02-03'), on('03-01')))
      .when(report(on('02-01')))
      .decidesNothing()
  })
  it('suspends the plan after its grace, and ends it a month later', () => {
    given(...running, failed)
      .when(pass(on('02-08')))
      .decides(suspended('unpaid', on('02-08')))
    given(...running, failed, suspended('unpaid', on('02-08')))
      .when(pass(on('03-10')))
      .decides(ended('A', 'unpaid', null, on('03-10')))
  })
  it('suspends nothing when it was made good in time', () => {
    given(...running, failed, paid('s2', on('02-03'), on('03-01')))
      .when(pass(on('02-08')))
      .decidesNothing()
  })
})

describe("the provider's word", () => {
  it('that it bills no more is ours after a cancel, and a suspension without one', () => {
    given(...running, cancelled())
      .when(status('suspended'))
      .decides(told('SubscriptionPaused', on('01-05')))
    given(...running)
      .when(status('suspended'))
      .decides(suspended('provider', at, on('01-05')))
  })
  it('is no news when it is older than what is known', () => {
    given(...running)
      .when(status('suspended', on('01-01')))
      .decidesNothing()
    given(...running, suspended('provider', at, on('01-05')))
      .when(status('active', on('01-04')))
      .decidesNothing()
  })
  it('that it bills again wakes the plan', () => {
    given(...running, suspended('provider', at, on('01-05')))
      .when(status('active', on('01-06')))
      .decides(told('SubscriptionResumed', on('01-06')))
    given(...running, cancelled(), told('SubscriptionPaused', on('01-05')))
      .when(status('active', on('01-06')))
      .decides(told('SubscriptionResumed', on('01-06')))
  })
  it('that it rests is ours when we were about to ask for it, though the cancel was taken back meanwhile', () => {
    const asked = [...running, cancelled(), told('SubscriptionPaused', null)]
    given(...running, cancelled())
      .when({ type: 'PauseBilling', userId, agreementId: 'A', at })
      .decides(told('SubscriptionPaused', null))
    given(...asked, reactivated)
      .when(status('suspended'))
      .decides(told('SubscriptionPaused', on('01-05')))
    given(...asked, told('SubscriptionPaused', on('01-05')), reactivated)
      .when({ type: 'ReportResumed', userId, agreementId: 'A', at, statusAt: on('01-06') })
      .decides(told('SubscriptionResumed', on('01-06')))
    given(...running)
      .when({ type: 'PauseBilling', userId, agreementId: 'A', at })
      .decidesNothing()
  })
  it('that it was approved is heard even after we had given it up', () => {
    const givenUp = [requested(), ended('A', 'not_approved', null, on('01-04'))]
    given(...givenUp)
      .when(status('active'))
      .decides(activated('A', { statusAt: on('01-05') }))
    given(...givenUp)
      .when(sale('s1'))
      .decides(activated('A', { statusAt: null }), paid('s1'))
  })
  it('that it has ended lets the paid period pass', () => {
    given(...running)
      .when(status('cancelled'))
      .decides(cancelled(true))
    given(...running)
      .when(status('expired'))
      .decides(ended('A', 'expired'))
  })
  it('never wakes what is over, and is noted when it is over there too', () => {
    const over = [...running, ended('A', 'period_end')]
    given(...over)
      .when(status('active', on('01-09')))
      .decidesNothing()
    given(...over)
      .when(status('cancelled'))
      .decides({ type: 'SubscriptionClosed', data: { userId, agreementId: 'A', at } })
  })
})
