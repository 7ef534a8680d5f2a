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
    // A credit of a pack costs more than a cent, so one credit too many would be a refund.
    for (const used of [300, 301]) expect(withdraw(PACK, used)).toMatchObject([{ data: { proposedCents: 0 } }])
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

  it('withdraws the plans that wait for it', () => {
    const events = withdraw([...PLAN, requested('B', 'standard', on('02-01')), scheduled('B')])
    expect(events.map(({ type, data }) => [type, data.agreementId])).toEqual([
      ['SubscriptionWithdrawn', 'A'],
      ['SubscriptionEnded', 'B'],
      ['SubscriptionEnded', 'A'],
      ['SubscriptionRefundProposed', 'A'],
    ])
  })

  it('is of the named sale alone, and proposes a refund once', () => {
    const other = { ...paid('S2', on('01-02')), data: { ...paid('S2', on('01-02')).data, credits: 100 } } as Event
    const packs = PACK.map((event) => ({ ...event, data: { ...event.data, agreementId: 'O0', saleId: 'S0' } }) as Event)
    const all = [...PLAN, other, ...packs, ...PACK.map((e) => ({ ...e, data: { ...e.data, saleId: 'P1' } }) as Event)]
    expect(withdraw(all, 10, { saleId: 'S2' })[0]?.data).toMatchObject({ saleId: 'S2', proposedCents: 4_049 })
    expect(withdraw([...all, ...withdraw(all)], 0, { saleId: 'S2' })).not.toEqual([])
    const proposal = { userId, agreementId: 'A', at: on('01-05'), saleId: 'S1', amountCents: 4_499, currency: 'USD' }
    const proposed = { type: 'SubscriptionRefundProposed', data: { ...proposal, cause: 'cancelled' } } as const
    expect(withdraw([...all, proposed]).map(({ type }) => type)).not.toContain('SubscriptionRefundProposed')
    expect(withdraw([...all, proposed], 0, { saleId: 'S2' }).map(({ type }) => type)).toContain(
      'SubscriptionRefundProposed',
    )
    // More than its credits can be in use.
    expect(withdraw(PLAN, 5_000)[0]?.data).toMatchObject({ proposedCents: 0 })
  })

  it('of an earlier payment leaves the plan that replaced it, and the one that waits', () => {
    const replaced = {
      type: 'SubscriptionEnded',
      data: { ...about, agreementId: 'A', cause: 'replaced', replacedBy: 'B' },
    }
    const next = [requested('B', 'ultimate'), activated('B'), requested('C', 'pro', on('02-01')), scheduled('C')]
    expect(withdraw([...PLAN, ...next, replaced as Event]).map(({ type }) => type)).toEqual([
      'SubscriptionWithdrawn',
      'SubscriptionRefundProposed',
    ])
  })

  it('of a pack finds it among others', () => {
    const earlier = PACK.map(
      (event) => ({ ...event, data: { ...event.data, agreementId: 'O0', saleId: 'S0', soldAt: on('01-01') } }) as Event,
    )
    const [withdrawn] = withdraw([...earlier, ...PACK], 0, { at: on('01-19') })
    expect(withdrawn?.data).toMatchObject({ agreementId: 'O1', saleId: 'S1' })
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
