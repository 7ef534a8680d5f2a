import { describe, expect, it } from 'vitest'
import { specification } from '../eventsourcing/specification.ts'
import { forfeitedSales } from './agreements.ts'
import type { ReportStatus, SubscriptionCommand } from './commands.ts'
import type { EndCause, PaidTier, SubscriptionEvent } from './events.ts'
import { nextDue, subscription } from './subscription.ts'

const given = specification(subscription)
const userId = 'user'
const on = (date: string) => `2026-${date}T00:00:00.000Z`
const at = on('01-10')

const requested = (agreementId = 'A', tier: PaidTier = 'pro', startsAt: string | null = null): SubscriptionEvent => ({
  type: 'SubscriptionRequested',
  data: { userId, agreementId, tier, priceCents: 4499, currency: 'USD', startsAt, at: on('01-01') },
})
const activated = (
  agreementId = 'A',
  {
    tier = 'pro',
    periodEnd = on('02-01'),
    statusAt = on('01-01'),
    trial = false,
  }: { tier?: PaidTier; periodEnd?: string | null; statusAt?: string | null; trial?: boolean } = {},
): SubscriptionEvent => ({
  type: 'SubscriptionActivated',
  data: { userId, agreementId, at, tier, trial, priceCents: 4499, currency: 'USD', periodEnd, statusAt },
})
const paid = (
  saleId: string,
  periodStart = on('01-01'),
  periodEnd = on('02-01'),
  afterEnd = false,
): SubscriptionEvent => ({
  type: 'SubscriptionPaid',
  data: {
    userId,
    agreementId: 'A',
    at,
    tier: 'pro',
    saleId,
    amountCents: 4499,
    currency: 'USD',
    credits: 4500,
    periodStart,
    periodEnd,
    afterEnd,
  },
})
const ended = (
  agreementId: string,
  cause: EndCause,
  replacedBy: string | null = null,
  when = at,
): SubscriptionEvent => ({
  type: 'SubscriptionEnded',
  data: { userId, agreementId, cause, replacedBy, at: when },
})
const cancelled = (final = false, endsAt: string | null = on('02-01'), encryptedReason: string | null = null) =>
  ({ type: 'SubscriptionCancelled', data: { userId, agreementId: 'A', at, encryptedReason, endsAt, final } }) as const
const failed: SubscriptionEvent = {
  type: 'SubscriptionPaymentFailed',
  data: { userId, agreementId: 'A', at, failedAt: on('02-01'), graceUntil: on('02-08') },
}
const suspended = (cause: 'unpaid' | 'provider', when: string, statusAt: string | null = null): SubscriptionEvent => ({
  type: 'SubscriptionSuspended',
  data: { userId, agreementId: 'A', at: when, cause, statusAt },
})
const told = (type: 'SubscriptionResumed' | 'SubscriptionPaused', statusAt: string | null) =>
  ({ type, data: { userId, agreementId: 'A', at, statusAt } }) as SubscriptionEvent
const reactivated: SubscriptionEvent = { type: 'SubscriptionReactivated', data: { userId, agreementId: 'A', at } }

const status = (is: ReportStatus['status'], statusAt = on('01-05'), agreementId = 'A', when = at): ReportStatus => ({
  type: 'ReportStatus',
  userId,
  agreementId,
  status: is,
  statusAt,
  trial: false,
  periodEnd: on('02-01'),
  at: when,
})
const sale = (saleId: string, change: object = {}): SubscriptionCommand => ({
  type: 'ReportSale',
  userId,
  agreementId: 'A',
  saleId,
  amountCents: 4499,
  currency: 'USD',
  credits: 4500,
  soldAt: on('01-01'),
  periodEnd: on('02-01'),
  at,
  ...change,
})
const cancel = (atPeriodEnd = true, when = at): SubscriptionCommand => ({
  type: 'CancelSubscription',
  userId,
  encryptedReason: null,
  atPeriodEnd,
  at: when,
})
const pass = (when: string): SubscriptionCommand => ({ type: 'PassTime', userId, at: when })

const running = [requested(), activated(), paid('s1')]

describe('an agreement', () => {
  it('is asked for once', () => {
    const { type: _, data } = requested()
    given()
      .when({ type: 'RequestSubscription', ...data } as SubscriptionCommand)
      .decides(requested())
  })
  it('that nobody here asked for is refused', () => {
    given().when(status('active')).rejects('unknown_agreement')
    given().when(sale('s1')).rejects('unknown_agreement')
  })
  it('runs once the provider says so, or a sale shows it', () => {
    given(requested())
      .when(status('active'))
      .decides(activated('A', { statusAt: on('01-05') }))
    given(requested())
      .when(sale('s1'))
      .decides(activated('A', { statusAt: null }), paid('s1'))
  })
  it('begins with a trial where the provider reports one', () => {
    given(requested())
      .when({ ...status('active'), trial: true })
      .decides(activated('A', { statusAt: on('01-05'), trial: true }))
  })
  it('that is not approved within three days is over, and one refused at the provider at once', () => {
    given(requested())
      .when(pass(on('01-03')))
      .decidesNothing()
    given(requested())
      .when(pass(on('01-04')))
      .decides(ended('A', 'not_approved', null, on('01-04')))
    given(requested()).when(status('cancelled')).decides(ended('A', 'declined'))
  })
  it('replaces the one that runs, whichever is reported first', () => {
    const two = [...running, requested('B', 'ultimate')]
    given(...two)
      .when(status('active', on('01-05'), 'B'))
      .decides(ended('A', 'replaced', 'B'), activated('B', { tier: 'ultimate', statusAt: on('01-05') }))
    given(requested(), requested('B', 'ultimate'), activated('B', { tier: 'ultimate' }))
      .when(status('active'))
      .decides(ended('A', 'replaced', 'B'))
  })
  it('with a smaller plan waits for the end of the period, and the one that runs is not renewed', () => {
    const startsAt = on('02-01')
    const scheduled: SubscriptionEvent = {
      type: 'SubscriptionScheduled',
      data: { userId, agreementId: 'B', at, tier: 'standard', startsAt, statusAt: on('01-05') },
    }
    const waiting = [...running, requested('B', 'standard', startsAt)]
    given(...waiting)
      .when(status('active', on('01-05'), 'B'))
      .decides(scheduled, cancelled())
    const all = [...waiting, scheduled, cancelled()]
    given(...all)
      .when(pass(startsAt))
      .decides(ended('A', 'period_end', null, startsAt), {
        ...activated('B', { tier: 'standard', periodEnd: null, statusAt: null }),
        data: { ...activated('B', { tier: 'standard', periodEnd: null, statusAt: null }).data, at: startsAt },
      } as SubscriptionEvent)
    given(...all)
      .when({ type: 'ReactivateSubscription', userId, at })
      .decides(ended('B', 'withdrawn'), reactivated)
  })
})

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
    expect(nextDue([...running, failed].reduce(subscription.evolve, subscription.initial))).toBe(on('02-08'))
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

describe('cancelling', () => {
  it('takes effect at the end of the period', () => {
    given(...running)
      .when(cancel())
      .decides(cancelled())
    given(...running, cancelled())
      .when(pass(on('01-31')))
      .decidesNothing()
    given(...running, cancelled())
      .when(pass(on('02-01')))
      .decides(ended('A', 'period_end', null, on('02-01')))
  })
  it('takes effect at once when so wished, and withdraws what was not approved', () => {
    given(...running)
      .when(cancel(false))
      .decides(ended('A', 'cancelled'))
    given(requested()).when(cancel()).decides(ended('A', 'withdrawn'))
  })
  it('needs something to cancel', () => {
    given().when(cancel()).rejects('no_subscription')
    given(...running, ended('A', 'unpaid'))
      .when(cancel())
      .rejects('no_subscription')
  })
  it('can be taken back until the period ends', () => {
    const back: SubscriptionCommand = { type: 'ReactivateSubscription', userId, at }
    given(...running, cancelled())
      .when(back)
      .decides(reactivated)
    given(...running)
      .when(back)
      .decidesNothing()
    given(...running, cancelled())
      .when({ ...back, at: on('02-01') })
      .rejects('cannot_reactivate')
    given(...running, cancelled(true))
      .when(back)
      .rejects('cannot_reactivate')
    given().when(back).rejects('no_subscription')
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

describe('the credits of sales', () => {
  const forfeited = (...events: SubscriptionEvent[]) =>
    forfeitedSales(events.reduce(subscription.evolve, subscription.initial))
  it('go with their agreement', () => {
    expect(forfeited(...running)).toEqual([])
    expect(forfeited(...running, ended('A', 'unpaid'))).toEqual(['s1'])
  })
  it('pass to the agreement that took over, and go with that one', () => {
    const taken = [...running, requested('B', 'ultimate'), ended('A', 'replaced', 'B'), activated('B')]
    expect(forfeited(...taken)).toEqual([])
    expect(forfeited(...taken, ended('B', 'unpaid'))).toEqual(['s1'])
  })
  it('stay when they were paid for after the end', () => {
    expect(forfeited(...running, ended('A', 'unpaid'), paid('s2', on('02-01'), on('03-01'), true))).toEqual(['s1'])
  })
})
