import { describe, expect, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import { forfeitedSales } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import type { SubscriptionEvent } from './events.ts'
import { subscription } from './subscription.decider.ts'
import {
  activated,
  applyDueChanges,
  at,
  cancel,
  cancelled,
  ended,
  on,
  paid,
  reactivated,
  requested,
  reversed,
  running,
  sale,
  status,
  unusedRefund,
  userId,
} from './testing/subscriptionFacts.ts'

const given = specification(subscription)

describe('agreements', () => {
  it('records a requested agreement', () => {
    const { type: _, data } = requested()
    given()
      .when({ type: 'RequestSubscription', ...data } as SubscriptionCommand)
      .decides(requested())
  })
  it('rejects reports about an agreement that was not requested here', () => {
    given().when(status('active')).rejects('unknown_agreement')
    given().when(sale('s1')).rejects('unknown_agreement')
  })
  it('activates an agreement on the status active or on its first sale', () => {
    given(requested())
      .when(status('active'))
      .decides(activated('A', { statusAt: on('01-05') }))
    given(requested())
      .when(sale('s1'))
      .decides(activated('A', { statusAt: null }), paid('s1'))
  })
  it('activates an agreement with a trial if the provider reports one', () => {
    given(requested())
      .when({ ...status('active'), trial: true })
      .decides(activated('A', { statusAt: on('01-05'), trial: true }))
  })
  it('ends an agreement that is unapproved after three days or declined at the provider', () => {
    given(requested())
      .when(applyDueChanges(on('01-03')))
      .decidesNothing()
    given(requested())
      .when(applyDueChanges(on('01-04')))
      .decides(ended('A', 'not_approved', null, on('01-04')))
    given(requested()).when(status('cancelled')).decides(ended('A', 'declined'))
  })
  it('replaces the running agreement, in any order of reports', () => {
    const two = [...running, requested('B', 'ultimate')]
    given(...two)
      .when(status('active', on('01-05'), 'B'))
      .decides(ended('A', 'replaced', 'B'), activated('B', { tier: 'ultimate', statusAt: on('01-05') }))
    given(requested(), requested('B', 'ultimate'), activated('B', { tier: 'ultimate', statusAt: on('01-06') }))
      .when(status('active'))
      .decides(ended('A', 'withdrawn'))
  })
  it('schedules a smaller plan for the end of the period and cancels the current one', () => {
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
      .when(applyDueChanges(startsAt))
      .decides(ended('A', 'replaced', 'B', startsAt), {
        ...activated('B', { tier: 'standard', periodEnd: null, statusAt: null }),
        data: { ...activated('B', { tier: 'standard', periodEnd: null, statusAt: null }).data, at: startsAt },
      } as SubscriptionEvent)
    given(...all)
      .when({ type: 'ReactivateSubscription', userId, at })
      .decides(ended('B', 'withdrawn'), reactivated)
  })
})

describe('cancelling', () => {
  it('ends the agreement at the end of the period', () => {
    given(...running)
      .when(cancel())
      .decides(cancelled())
    given(...running, cancelled())
      .when(applyDueChanges(on('01-31')))
      .decidesNothing()
    given(...running, cancelled())
      .when(applyDueChanges(on('02-01')))
      .decides(ended('A', 'period_end', null, on('02-01')))
  })
  it('ends the agreement immediately on request, and withdraws a pending one', () => {
    given(requested(), activated()).when(cancel(false)).decides(ended('A', 'cancelled'))
    given(requested()).when(cancel()).decides(ended('A', 'withdrawn'))
  })
  it('proposes the refund of a sale that is at most 14 days old when it ends the plan immediately', () => {
    const paidOn = (soldAt: string) => [requested(), activated(), paid('s1', soldAt, on('02-01'))]
    given(...paidOn(on('01-01')))
      .when(cancel(false))
      .decides(ended('A', 'cancelled'), unusedRefund('s1'))
    given(...paidOn('2025-12-26T23:59:59.999Z'))
      .when(cancel(false))
      .decides(ended('A', 'cancelled'))
    given(...paidOn(on('01-01')), reversed('r', 4499, 4500))
      .when(cancel(false))
      .decides(ended('A', 'cancelled'))
    given(...paidOn(on('01-01')))
      .when(cancel())
      .decides(cancelled())
  })
  it('is rejected without a subscription', () => {
    given().when(cancel()).rejects('no_subscription')
    given(...running, ended('A', 'unpaid'))
      .when(cancel())
      .rejects('no_subscription')
  })
  it('can be withdrawn until the period ends', () => {
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

describe('forfeited sales', () => {
  const forfeited = (...events: SubscriptionEvent[]) =>
    forfeitedSales(events.reduce(subscription.evolve, subscription.initial))
  it('are the sales of an ended agreement', () => {
    expect(forfeited(...running)).toEqual([])
    expect(forfeited(...running, ended('A', 'unpaid'))).toEqual(['s1'])
  })
  it('exclude sales of a replaced agreement until its replacement ends', () => {
    const taken = [...running, requested('B', 'ultimate'), ended('A', 'replaced', 'B'), activated('B')]
    expect(forfeited(...taken)).toEqual([])
    expect(forfeited(...taken, ended('B', 'unpaid'))).toEqual(['s1'])
  })
  it('exclude sales of a plan that a smaller one continues, whether its date or its first sale starts it', () => {
    const startsAt = on('02-01')
    const data = { userId, agreementId: 'B', at, tier: 'standard', startsAt, statusAt: on('01-05') } as const
    const scheduled: SubscriptionEvent = { type: 'SubscriptionScheduled', data }
    const state = [...running, requested('B', 'standard', startsAt), scheduled, cancelled()].reduce(
      subscription.evolve,
      subscription.initial,
    )
    const about = { agreementId: 'B', soldAt: startsAt }
    for (const command of [applyDueChanges(startsAt), sale('s2', { ...about, at: startsAt })]) {
      const after = subscription.decide(command, state).reduce(subscription.evolve, state)
      expect(after.agreements.map(({ status }) => status)).toEqual(['ended', 'active'])
      expect(forfeitedSales(after)).toEqual([])
    }
  })
  it('exclude sales that completed after the end', () => {
    expect(forfeited(...running, ended('A', 'unpaid'), paid('s2', on('02-01'), on('03-01'), true))).toEqual(['s1'])
  })
})
