import { describe, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { SubscriptionEvent } from './events.ts'
import { subscription } from './subscription.decider.ts'
import {
  activated,
  applyDueChanges,
  at,
  cancel,
  cancelled,
  changed,
  dated,
  ended,
  on,
  paid,
  reactivated,
  refundProposed,
  requested,
  running,
  sale,
  scheduled,
  status,
  unusedRefund,
  userId,
} from './testing/subscriptionFacts.ts'

const given = specification(subscription)
const startsAt = on('02-01')

/** Plan A runs until 1 February; the smaller plan B starts then. */
const withScheduled = [...running, requested('B', 'standard', startsAt), scheduled('B'), cancelled()]

describe('a plan that is approved before its start', () => {
  it('starts immediately if it is approved at its start or later', () => {
    for (const when of [startsAt, on('02-02')])
      given(...running, requested('B', 'standard', startsAt))
        .when({ ...status('active', on('01-05'), 'B', when), periodEnd: on('03-01') })
        .decides(
          dated(ended('A', 'replaced', 'B'), when),
          dated(activated('B', { tier: 'standard', statusAt: on('01-05'), periodEnd: on('03-01') }), when),
        )
  })

  it('is scheduled without a current plan, and with one that is cancelled already', () => {
    given(requested('B', 'standard', startsAt))
      .when(status('active', on('01-05'), 'B'))
      .decides(scheduled('B'))
    given(...running, cancelled(), requested('B', 'standard', startsAt))
      .when(status('active', on('01-05'), 'B'))
      .decides(scheduled('B'))
  })

  it('starts on its date if the current plan ends before it', () => {
    const later = on('03-01')
    given(...running, requested('B', 'standard', later), scheduled('B', { startsAt: later }), cancelled())
      .when(applyDueChanges(startsAt))
      .decides(dated(ended('A', 'period_end'), startsAt))
  })

  it('is scheduled once if the buyer approves it after it expired', () => {
    given(requested('B', 'standard', startsAt), ended('B', 'not_approved', null, on('01-04')))
      .when(status('active', on('01-05'), 'B'))
      .decides(scheduled('B'))
  })

  it('starts with its first sale', () => {
    const first = changed(paid('s2', startsAt, on('03-01')), { at: startsAt, agreementId: 'B', tier: 'standard' })
    given(...withScheduled)
      .when(sale('s2', { agreementId: 'B', soldAt: startsAt, periodEnd: on('03-01'), at: startsAt }))
      .decides(
        dated(ended('A', 'replaced', 'B'), startsAt),
        dated(activated('B', { tier: 'standard', statusAt: null, periodEnd: on('03-01') }), startsAt),
        first,
      )
  })

  it('starts with a sale before its date if no plan runs', () => {
    const first = changed(paid('s2'), { agreementId: 'B', tier: 'standard' })
    for (const approval of [[], [scheduled('B')]])
      given(requested('B', 'standard', startsAt), ...approval)
        .when(sale('s2', { agreementId: 'B' }))
        .decides(activated('B', { tier: 'standard', statusAt: null }), first)
  })

  it('is not affected by a suspension at the provider before it starts', () => {
    given(...withScheduled)
      .when(status('suspended', on('01-06'), 'B'))
      .decidesNothing()
  })

  it('ends when it is cancelled at the provider before it starts', () => {
    given(...withScheduled)
      .when(status('cancelled', on('01-06'), 'B'))
      .decides(ended('B', 'declined'))
  })
})

describe('a second scheduled plan', () => {
  const both = [...withScheduled, requested('C', 'pro', startsAt)]

  it('replaces the first, so that only one is billed at the end of the period', () => {
    given(...both)
      .when(status('active', on('01-05'), 'C'))
      .decides(ended('B', 'replaced', 'C'), scheduled('C', { tier: 'pro' }))
  })

  it('ends unused if it was approved before the first, whichever was requested first', () => {
    const waiting = [requested('B', 'standard', startsAt), requested('C', 'pro', startsAt)]
    for (const requests of [waiting, waiting.toReversed()])
      given(...running, ...requests, scheduled('B'))
        .when(status('active', on('01-04'), 'C'))
        .decides(ended('C', 'withdrawn'))
  })

  it('is withdrawn by a plan that starts immediately', () => {
    given(...withScheduled, requested('C', 'ultimate'))
      .when(status('active', on('01-05'), 'C'))
      .decides(
        ended('A', 'replaced', 'C'),
        ended('B', 'withdrawn'),
        activated('C', { tier: 'ultimate', statusAt: on('01-05') }),
      )
  })
})

describe('a plan that was approved', () => {
  it('starts on its date although a later one with the same date was declined', () => {
    given(...withScheduled, requested('C', 'pro', startsAt), ended('C', 'declined'))
      .when(applyDueChanges(startsAt))
      .decides(
        dated(ended('A', 'replaced', 'B'), startsAt),
        dated(activated('B', { tier: 'standard', periodEnd: null, statusAt: null }), startsAt),
      )
  })
})

describe('plans that wait for their start or approval', () => {
  const waiting = [...withScheduled, requested('C', 'pro', startsAt), scheduled('C', { tier: 'pro' })]

  it('are all withdrawn when the user cancels', () => {
    given(...waiting)
      .when(cancel())
      .decides(ended('B', 'withdrawn'), ended('C', 'withdrawn'))
    given(requested(), requested('B')).when(cancel()).decides(ended('A', 'withdrawn'), ended('B', 'withdrawn'))
    given(...running, requested('B'))
      .when(cancel())
      .decides(ended('B', 'withdrawn'), cancelled())
    given(...running, requested('B'))
      .when(cancel(false))
      .decides(ended('B', 'withdrawn'), ended('A', 'cancelled'), unusedRefund('s1'))
  })

  it('are withdrawn by a reactivation although one has replaced another, unpaid', () => {
    given(
      ...withScheduled,
      requested('C', 'pro', startsAt),
      ended('B', 'replaced', 'C'),
      scheduled('C', { tier: 'pro' }),
    )
      .when({ type: 'ReactivateSubscription', userId, at })
      .decides(ended('C', 'withdrawn'), reactivated)
  })

  it('are all withdrawn when the user reactivates the current plan', () => {
    given(...waiting, requested('D'))
      .when({ type: 'ReactivateSubscription', userId, at })
      .decides(ended('B', 'withdrawn'), ended('C', 'withdrawn'), ended('D', 'withdrawn'), reactivated)
  })

  it('are withdrawn when another plan starts, unless they still await approval', () => {
    given(...waiting, requested('D', 'ultimate'), requested('E'), ended('E', 'not_approved'))
      .when(status('active', on('01-05'), 'D'))
      .decides(
        ended('A', 'replaced', 'D'),
        ended('B', 'withdrawn'),
        ended('C', 'withdrawn'),
        activated('D', { tier: 'ultimate', statusAt: on('01-05') }),
      )
  })
})

describe('an agreement that the buyer approves after it was withdrawn', () => {
  const withdrawn = [...running, requested('B', 'ultimate'), ended('B', 'withdrawn')]

  it('is not activated', () => {
    given(...withdrawn)
      .when(status('active', on('01-11'), 'B', on('01-11')))
      .decidesNothing()
  })

  it('grants credits that stay for its sale, which is proposed for a refund', () => {
    const first = paid('s2', on('01-11'), on('02-11'), true).data as SubscriptionEvent<'SubscriptionPaid'>['data']
    given(...withdrawn)
      .when(sale('s2', { agreementId: 'B', soldAt: on('01-11'), periodEnd: on('02-11') }))
      .decides(
        { type: 'SubscriptionPaid', data: { ...first, agreementId: 'B', tier: 'ultimate' } },
        refundProposed('s2', 'B'),
      )
  })
})
