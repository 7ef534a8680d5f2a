import { describe, expect, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import { forfeitedSales } from './agreements.rules.ts'
import type { SubscriptionEvent } from './events.ts'
import { subscription } from './subscription.decider.ts'
import {
  activated,
  applyDueChanges,
  cancel,
  cancelled,
  changed,
  dated,
  ended,
  on,
  paid,
  reactivated,
  requested,
  reversal,
  reversed,
  running,
  sale,
  scheduled,
  status,
  suspended,
  userId,
} from './testing/subscriptionFacts.ts'

const given = specification(subscription)
const [startsAt, renewedUntil, now] = [on('02-01'), on('03-01'), on('02-02')]

const scheduledB = (statusAt: string | null = now, start = renewedUntil) =>
  dated(scheduled('B', { startsAt: start, statusAt }), now)
const firstSale = { agreementId: 'B', soldAt: now, periodEnd: on('03-02'), at: now }
const paidForB = changed(paid('b1', now, on('03-02')), { at: now, agreementId: 'B', tier: 'standard' })

/** Plan A was renewed on 1 February, before the buyer approved the smaller plan B, which was to start then. */
const renewed = [...running, requested('B', 'standard', startsAt), dated(paid('s2', startsAt, renewedUntil), startsAt)]
const cancelledA = dated(cancelled(false, renewedUntil), now)
const waiting = [...renewed, scheduledB(), cancelledA, paidForB]
const forfeitedAfter = (...events: SubscriptionEvent[]) =>
  forfeitedSales([...waiting, ...events].reduce(subscription.evolve, subscription.initial))

describe('a smaller plan that is approved after the larger one was renewed', () => {
  it('starts when the renewed period ends', () => {
    given(...renewed)
      .when(status('active', now, 'B', now))
      .decides(scheduledB(), cancelledA)
    given(...waiting)
      .when(applyDueChanges(renewedUntil))
      .decides(
        dated(ended('A', 'replaced', 'B'), renewedUntil),
        dated(activated('B', { tier: 'standard', periodEnd: on('03-02'), statusAt: null }), renewedUntil),
      )
  })

  it('grants the credits of its first sale at once, whether the sale or the approval is reported first', () => {
    given(...renewed, scheduledB(), cancelledA)
      .when(sale('b1', firstSale))
      .decides(paidForB)
    given(...renewed)
      .when(sale('b1', firstSale))
      .decides(scheduledB(null), cancelledA, paidForB)
    const expired = ended('B', 'not_approved', null, on('01-04'))
    given(...renewed, expired)
      .when(sale('b1', firstSale))
      .decides(scheduledB(null), cancelledA, paidForB)
  })

  it('starts at once if the larger plan is suspended', () => {
    given(...renewed, suspended('provider', now, now))
      .when({ ...status('active', now, 'B', now), periodEnd: on('03-02') })
      .decides(
        dated(ended('A', 'replaced', 'B'), now),
        dated(activated('B', { tier: 'standard', statusAt: now, periodEnd: on('03-02') }), now),
      )
  })

  it('leaves its credits to the larger plan when it is withdrawn or declined', () => {
    const dropped = dated(ended('B', 'replaced', 'A'), now)
    given(...waiting)
      .when({ type: 'ReactivateSubscription', userId, at: now })
      .decides(dropped, dated(reactivated, now))
    given(...waiting)
      .when(cancel(true, now))
      .decides(dropped)
    given(...waiting)
      .when(status('cancelled', now, 'B', now))
      .decides(dropped, { type: 'SubscriptionClosed', data: { userId, agreementId: 'B', at: now } })
    expect(forfeitedAfter(dropped)).toEqual([])
    expect(forfeitedAfter(dropped, dated(ended('A', 'period_end'), renewedUntil))).toEqual(['s1', 's2', 'b1'])
  })

  it('leaves its credits to a next plan, and that one to the current one', () => {
    const replaced = dated(ended('B', 'replaced', 'C'), now)
    const next = changed(scheduledB(), { agreementId: 'C' })
    given(...waiting, requested('C', 'standard', renewedUntil), replaced, next)
      .when({ type: 'ReactivateSubscription', userId, at: now })
      .decides(dated(ended('C', 'replaced', 'A'), now), dated(reactivated, now))
  })

  it('starts at once when the sale of the larger plan is taken back', () => {
    given(...waiting)
      .when({ ...reversal('r', 4499, { saleId: 's2' }), at: now })
      .decides(
        dated(reversed('r', 4499, 4500, { saleId: 's2' }), now),
        dated(ended('A', 'replaced', 'B'), now),
        dated(activated('B', { tier: 'standard', periodEnd: on('03-02'), statusAt: null }), now),
      )
  })

  it('keeps its credits when the sale of the larger plan is taken back after an unpaid plan has replaced it', () => {
    const replaced = dated(ended('B', 'replaced', 'C'), now)
    const next = changed(scheduledB(), { agreementId: 'C' })
    const endings = [dated(ended('C', 'replaced', 'A'), now), dated(ended('A', 'refunded'), now)]
    given(...waiting, requested('C', 'standard', renewedUntil), replaced, next)
      .when({ ...reversal('r', 4499, { saleId: 's2' }), at: now })
      .decides(dated(reversed('r', 4499, 4500, { saleId: 's2' }), now), ...endings)
    expect(forfeitedAfter(requested('C', 'standard', renewedUntil), replaced, next, ...endings)).toEqual([])
  })

  it('is withdrawn with the larger plan if it was not paid yet', () => {
    given(...renewed, scheduledB(), cancelledA)
      .when({ ...reversal('r', 4499, { saleId: 's2' }), at: now })
      .decides(
        dated(reversed('r', 4499, 4500, { saleId: 's2' }), now),
        dated(ended('B', 'withdrawn'), now),
        dated(ended('A', 'cancelled'), now),
      )
  })

  it('ends when its own sale is taken back', () => {
    given(...waiting)
      .when({ ...reversal('r', 4499, { saleId: 'b1' }), at: now })
      .decides(
        changed(reversed('r', 4499, 4500, { saleId: 'b1' }), { at: now, agreementId: 'B' }),
        dated(ended('B', 'replaced', 'A'), now),
      )
  })
})

describe('a smaller plan that is scheduled when the cancelled larger one is billed once more', () => {
  const soldAt = on('01-31')
  const next = [requested('B', 'standard', startsAt), scheduledB(null, startsAt)]
  const renewal = sale('s2', { soldAt, periodEnd: renewedUntil, at: soldAt })
  const renewedA = dated(paid('s2', soldAt, renewedUntil), soldAt)

  it('starts when the renewed period ends', () => {
    given(...running, ...next, cancelled())
      .when(renewal)
      .decides(renewedA, dated(scheduledB(null), soldAt))
  })

  it('starts on its date if the larger one is suspended', () => {
    given(...running, ...next, cancelled(), suspended('provider', soldAt, soldAt))
      .when(renewal)
      .decides(renewedA)
  })

  it('stays ended if it was withdrawn', () => {
    given(...running, ...next, ended('B', 'withdrawn'), cancelled())
      .when(renewal)
      .decides(renewedA)
  })

  it('starts on its date if the sale pays for the period before', () => {
    given(...running, ...next, cancelled())
      .when(sale('s2', { soldAt: on('01-01'), periodEnd: startsAt, at: soldAt }))
      .decides(dated(paid('s2'), soldAt))
  })
})
