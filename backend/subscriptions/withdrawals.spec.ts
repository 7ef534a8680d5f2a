import { describe, expect, it } from 'vitest'
import { subscription } from './subscription.decider.ts'
import { activated, on, paid, requested, scheduled, userId } from './testing/subscriptionFacts.ts'

type Event = Parameters<typeof subscription.evolve>[1]
const withdraw = (events: readonly Event[], usedCredits = 0, change: object = {}) =>
  subscription.decide(
    { type: 'WithdrawSale', userId, saleId: 'S1', usedCredits, at: on('01-10'), ...change },
    events.reduce(subscription.evolve, subscription.initial),
  )
const PLAN = [requested(), activated(), paid('S1')]
const about = { userId, at: on('01-04'), agreementId: 'O1' }
const sold = { pack: 'small', amountCents: 499, currency: 'USD', credits: 300 }
const PACK: readonly Event[] = [
  { type: 'PackRequested', data: { ...about, provider: 'paypal', ...sold } },
  { type: 'PackPaid', data: { ...about, ...sold, saleId: 'S1', soldAt: on('01-05') } },
]
const over = expect.objectContaining({ code: 'withdrawal_over' })

describe('the withdrawal from a contract', () => {
  it('ends the plan, and refunds a payment of which nothing was used', () => {
    const [withdrawn, ended, proposed, ...rest] = withdraw(PLAN)
    expect(withdrawn).toMatchObject({ type: 'SubscriptionWithdrawn', data: { usedCredits: 0, proposedCents: 4499 } })
    expect(ended).toMatchObject({ type: 'SubscriptionEnded', data: { agreementId: 'A', cause: 'cancelled' } })
    expect(proposed).toMatchObject({
      type: 'SubscriptionRefundProposed',
      data: { saleId: 'S1', amountCents: 4499, cause: 'withdrawn', automatic: true },
    })
    expect(rest).toEqual([])
  })

  it('proposes the unused share to the operator', () => {
    const [withdrawn, , proposed] = withdraw(PLAN, 1_500)
    expect(withdrawn).toMatchObject({ data: { usedCredits: 1_500, proposedCents: 2_999 } })
    expect(proposed?.data).not.toHaveProperty('automatic')
  })

  it('proposes nothing if all was used', () => {
    expect(withdraw(PLAN, 4_500).map(({ type }) => type)).toEqual(['SubscriptionWithdrawn', 'SubscriptionEnded'])
  })

  it('leaves a plan that another payment bought', () => {
    expect(
      withdraw([...PLAN, ...PACK.map((event) => ({ ...event, data: { ...event.data, saleId: 'P1' } }) as Event)], 0, {
        saleId: 'P1',
      }).map(({ type }) => type),
    ).toEqual(['SubscriptionWithdrawn', 'SubscriptionRefundProposed'])
  })

  it('drops a plan that was paid, and starts later', () => {
    const later = { ...paid('S1'), data: { ...paid('S1').data, agreementId: 'B' } } as Event
    const events = withdraw([requested(), activated(), requested('B', 'standard', on('02-01')), scheduled('B'), later])
    expect(events.map(({ type, data }) => [type, data.agreementId])).toEqual([
      ['SubscriptionWithdrawn', 'B'],
      ['SubscriptionEnded', 'B'],
      ['SubscriptionRefundProposed', 'B'],
    ])
  })

  it('is recorded once', () => {
    expect(withdraw([...PLAN, ...withdraw(PLAN)])).toEqual([])
  })

  it.each([
    ['plan', PLAN, '01-15', '01-16'],
    ['pack', PACK, '01-19', '01-20'],
  ])('of a %s is possible for 14 days from its payment', (_, events, last, late) => {
    expect(withdraw(events, 0, { at: on(last) })).not.toEqual([])
    expect(() => withdraw(events, 0, { at: on(late) })).toThrow(over)
  })

  it('is refused for a payment that was refunded, or is not the user’s', () => {
    const refund = {
      type: 'ReportReversal',
      userId,
      saleId: 'S1',
      reversalId: 'R',
      amountCents: 1,
      kind: 'refund',
      at: on('01-09'),
    } as const
    const refunded = subscription.decide(refund, PLAN.reduce(subscription.evolve, subscription.initial))
    expect(() => withdraw([...PLAN, ...refunded])).toThrow(over)
    expect(() => withdraw(PLAN, 0, { saleId: 'S2' })).toThrow(expect.objectContaining({ code: 'not_found' }))
  })
})
