import { describe, expect, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { SubscriptionCommand } from './commands.ts'
import { nextChangeDueAt } from './dueChanges.rules.ts'
import type { SubscriptionEvent } from './events.ts'
import { subscription } from './subscription.decider.ts'
import {
  activated,
  applyDueChanges,
  at,
  cancelled,
  ended,
  failed,
  failedOn,
  on,
  paid,
  reactivated,
  refundProposed,
  reported,
  requested,
  running,
  sale,
  status,
  suspended,
  userId,
} from './testing/subscriptionFacts.ts'

const given = specification(subscription)

describe('ReportSale', () => {
  it('records a sale and its credits once', () => {
    given(requested(), activated()).when(sale('s1')).decides(paid('s1'))
    given(...running)
      .when(sale('s1', { amountCents: 1 }))
      .decidesNothing()
  })
  it('keeps the fee that the provider told, also if it is told later', () => {
    const told = sale('s1', { feeCents: 206 })
    const { type, data } = paid('s1') as SubscriptionEvent<'SubscriptionPaid'>
    const withFee = { type, data: { ...data, feeCents: 206 } }
    const later = { userId, agreementId: 'A', at, saleId: 's1', feeCents: 206 }
    const reported: SubscriptionEvent = { type: 'SubscriptionSaleFeeReported', data: later }
    given(requested(), activated()).when(told).decides(withFee)
    given(requested(), activated(), withFee).when(told).decidesNothing()
    given(...running)
      .when(told)
      .decides(reported)
    given(...running, reported)
      .when(sale('s1', { feeCents: 207 }))
      .decidesNothing()
  })
  it('records a mismatch instead of a sale with the wrong amount or currency', () => {
    for (const wrong of [{ amountCents: 4498 }, { currency: 'EUR' }]) {
      const { amountCents, currency } = { amountCents: 4499, currency: 'USD', ...wrong }
      given(...running)
        .when(sale('s2', wrong))
        .decides({
          type: 'SubscriptionSaleMismatched',
          data: {
            userId,
            agreementId: 'A',
            at,
            saleId: 's2',
            amountCents,
            currency,
            intended: { tier: 'pro', periodStart: on('01-01'), periodEnd: on('02-01') },
          },
        })
    }
  })
  it('marks a sale that completed after the end of its agreement, and proposes its refund', () => {
    given(...running, ended('A', 'unpaid'))
      .when(sale('s2', { soldAt: on('01-11'), periodEnd: on('02-11') }))
      .decides(paid('s2', on('01-11'), on('02-11'), true), refundProposed('s2'))
  })
  it('resumes a suspended plan', () => {
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
})

describe('ReportResumed', () => {
  it('does not bring back a plan that ended while the provider resumed its billing', () => {
    const resumed: SubscriptionCommand = { type: 'ReportResumed', userId, agreementId: 'A', statusAt: on('01-06'), at }
    const paused = [...running, cancelled(), reported('SubscriptionPaused', on('01-05')), reactivated]
    given(...paused)
      .when(resumed)
      .decides(reported('SubscriptionResumed', on('01-06')))
    given(...paused, ended('A', 'cancelled'))
      .when(resumed)
      .decidesNothing()
  })
})

describe('ReportPaymentFailed', () => {
  const report = (failedAt: string, graceUntil = on('02-08')): SubscriptionCommand => ({
    ...{ type: 'ReportPaymentFailed', userId, agreementId: 'A', failedAt, graceUntil, at },
  })
  it('starts a grace period', () => {
    given(...running)
      .when(report(on('02-01')))
      .decides(failed)
    expect(nextChangeDueAt([...running, failed].reduce(subscription.evolve, subscription.initial))).toBe(on('02-08'))
  })
  it('keeps the end of the grace period if the provider retries in vain', () => {
    given(...running, failed)
      .when(report(on('02-06'), on('02-13')))
      .decides(failedOn(on('02-06'), on('02-08')))
  })
  it('starts another grace period for the next payment', () => {
    given(...running, failed, paid('s2', on('02-03'), on('03-01')))
      .when(report(on('03-01'), on('03-08')))
      .decides(failedOn(on('03-01'), on('03-08')))
  })
  it('is ignored if a later payment succeeded', () => {
    given(...running, failed, paid('s2', on('02-03'), on('03-01')))
      .when(report(on('02-01')))
      .decidesNothing()
  })
  it('suspends the plan after the grace period and ends it a month later', () => {
    given(...running, failed)
      .when(applyDueChanges(on('02-08')))
      .decides(suspended('unpaid', on('02-08')))
    given(...running, failed, suspended('unpaid', on('02-08')))
      .when(applyDueChanges(on('03-10')))
      .decides(ended('A', 'unpaid', null, on('03-10')))
  })
  it('suspends the plan at the end of the grace period if the provider has suspended it', () => {
    given(...running, failed)
      .when(status('suspended', on('02-08'), 'A', on('02-08')))
      .decides(suspended('provider', on('02-08'), on('02-08')))
  })

  it('suspends nothing if a payment succeeds within the grace period', () => {
    given(...running, failed, paid('s2', on('02-03'), on('03-01')))
      .when(applyDueChanges(on('02-08')))
      .decidesNothing()
  })
})

describe('ReportStatus', () => {
  it('treats a suspension as a pause after a cancellation, otherwise as a suspension by the provider', () => {
    given(...running, cancelled())
      .when(status('suspended'))
      .decides(reported('SubscriptionPaused', on('01-05')))
    given(...running)
      .when(status('suspended'))
      .decides(suspended('provider', at, on('01-05')))
  })
  it('ignores a status older than the known one', () => {
    given(...running)
      .when(status('suspended', on('01-01')))
      .decidesNothing()
    given(...running, suspended('provider', at, on('01-05')))
      .when(status('active', on('01-04')))
      .decidesNothing()
  })
  it('resumes the plan when the provider resumes billing', () => {
    given(...running, suspended('provider', at, on('01-05')))
      .when(status('active', on('01-06')))
      .decides(reported('SubscriptionResumed', on('01-06')))
    given(...running, cancelled(), reported('SubscriptionPaused', on('01-05')))
      .when(status('active', on('01-06')))
      .decides(reported('SubscriptionResumed', on('01-06')))
  })
  it('resumes nothing while the provider has not paused billing yet', () => {
    given(...running, cancelled(), reported('SubscriptionPaused', null))
      .when(status('active', on('01-06')))
      .decidesNothing()
  })
  it('treats a suspension as the requested pause even if the cancellation was withdrawn in between', () => {
    const asked = [...running, cancelled(), reported('SubscriptionPaused', null)]
    given(...running, cancelled())
      .when({ type: 'PauseBilling', userId, agreementId: 'A', at })
      .decides(reported('SubscriptionPaused', null))
    given(...asked, reactivated)
      .when(status('suspended'))
      .decides(reported('SubscriptionPaused', on('01-05')))
    given(...asked, reported('SubscriptionPaused', on('01-05')), reactivated)
      .when({ type: 'ReportResumed', userId, agreementId: 'A', at, statusAt: on('01-06') })
      .decides(reported('SubscriptionResumed', on('01-06')))
    given(...running)
      .when({ type: 'PauseBilling', userId, agreementId: 'A', at })
      .decidesNothing()
  })
  it('activates an agreement that is approved after it expired unapproved', () => {
    const givenUp = [requested(), ended('A', 'not_approved', null, on('01-04'))]
    given(...givenUp)
      .when(status('active'))
      .decides(activated('A', { statusAt: on('01-05') }))
    given(...givenUp)
      .when(sale('s1'))
      .decides(activated('A', { statusAt: null }), paid('s1'))
  })
  it('keeps a plan that was cancelled at the provider until its period ends', () => {
    given(...running)
      .when(status('cancelled'))
      .decides(cancelled(true))
    given(...running)
      .when(status('expired'))
      .decides(ended('A', 'expired'))
  })
  it('never reactivates an ended agreement, but closes it once it has ended at the provider', () => {
    const over = [...running, ended('A', 'period_end')]
    given(...over)
      .when(status('active', on('01-09')))
      .decidesNothing()
    given(...over)
      .when(status('cancelled'))
      .decides({ type: 'SubscriptionClosed', data: { userId, agreementId: 'A', at } })
  })
})
