import { describe, expect, it } from 'vitest'
import { creditsOf, PACK_IDS, priceOf } from './packs.contract.ts'
import { lapsesAt, packSales } from './packs.rules.ts'
import { PLANS } from './plans.contract.ts'
import { subscription } from './subscription.decider.ts'
import { activated, on, paid, requested, userId } from './testing/subscriptionFacts.ts'

const SOLD = { amountCents: 1_499, currency: 'USD' }
const order = { agreementId: 'O1', provider: 'paypal', pack: 'medium', ...SOLD, credits: 1_100 }
const request = { type: 'RequestPack', userId, ...order, at: on('01-10') } as const
const sale = { type: 'ReportPackSale', userId, agreementId: 'O1', saleId: 'C1', ...SOLD, soldAt: on('01-11') } as const
const report = { ...sale, at: on('01-12') }
const lapse = { type: 'LapsePack', userId, agreementId: 'O1', at: on('01-13') } as const
type Command = Parameters<typeof subscription.decide>[0]

/** Returns the events of commands that follow each other. */
function eventsOf(...commands: readonly Command[]) {
  let state = subscription.initial
  return commands.flatMap((command) => {
    const events = subscription.decide(command, state)
    state = events.reduce(subscription.evolve, state)
    return events
  })
}
const typesOf = (...commands: readonly Command[]) => eventsOf(...commands).map(({ type }) => type)

/** Returns the packs after commands that follow each other. */
const packsAfter = (...commands: readonly Command[]) =>
  eventsOf(...commands).reduce(subscription.evolve, subscription.initial).packs

describe('the order of a pack', () => {
  const second = { ...request, agreementId: 'O2', at: on('01-11') }
  const known = { id: 'O1', provider: 'paypal', pack: 'medium', ...SOLD, credits: 1_100, requestedAt: on('01-10') }

  it('keeps its own state beside others', () => {
    const open = { ...known, id: 'O2', requestedAt: on('01-11'), status: 'requested', saleId: null, soldAt: null }
    expect(packsAfter(request, second, report)).toEqual([
      { ...known, status: 'paid', saleId: 'C1', soldAt: on('01-11') },
      open,
    ])
    expect(packsAfter(second, request, lapse)).toEqual([
      open,
      { ...known, status: 'lapsed', saleId: null, soldAt: null, late: true },
    ])
    const reports = [report, { ...report, agreementId: 'O2', saleId: 'C2' }]
    expect(typesOf(request, second, ...reports)).toEqual(['PackRequested', 'PackRequested', 'PackPaid', 'PackPaid'])
    expect(typesOf(request, { ...report, amountCents: 1 }, { ...report, saleId: 'C2' })).toEqual([
      ...['PackRequested', 'SubscriptionSaleMismatched', 'PackPaid'],
    ])
    const state = eventsOf(request, second, report).reduce(subscription.evolve, subscription.initial)
    expect(packSales(state)).toEqual([{ id: 'C1', agreementId: 'O1', ...SOLD, credits: 1_100, periodStart: null }])
  })

  it('keeps the fee that the provider told, also if it is told later', () => {
    const told = { ...report, feeCents: 101 }
    const fee = { saleId: 'C1', feeCents: 101 }
    expect(eventsOf(request, told, told).slice(1)).toMatchObject([{ type: 'PackPaid', data: fee }])
    expect(eventsOf(request, report, told, told).slice(2)).toMatchObject([
      { type: 'SubscriptionSaleFeeReported', data: fee },
    ])
    expect(eventsOf(request, { ...told, amountCents: 1 })[1]).toMatchObject({
      type: 'SubscriptionSaleMismatched',
      data: fee,
    })
    expect(eventsOf(request, report)[1]?.data).not.toHaveProperty('feeCents')
  })

  it('lapses three days after it was made, or reopened', () => {
    expect(lapsesAt({ requestedAt: on('01-10') })).toBe(Date.parse(on('01-13')))
    const collect = { type: 'CollectPack', userId, agreementId: 'O1', at: on('01-20') } as const
    expect(packsAfter(request, lapse, collect)).toMatchObject([{ status: 'requested', requestedAt: on('01-20') }])
    expect(eventsOf(request, report)[1]?.data).not.toHaveProperty('late')
  })

  it('of a deleted account is over: no money is taken, and what was paid is to be refunded', () => {
    const abandon = { type: 'AbandonPacks', userId, at: on('01-12') } as const
    const paidBefore = { ...report, agreementId: 'O2', saleId: 'C2' }
    const lapsed = { type: 'PackLapsed', data: { userId, at: on('01-12'), agreementId: 'O1', abandoned: true } }
    expect(eventsOf(request, second, paidBefore, abandon, abandon).slice(3)).toEqual([lapsed])
    expect(packsAfter(request, abandon)).toMatchObject([{ status: 'lapsed', abandoned: true }])
    expect(packsAfter(request, lapse)[0]).not.toHaveProperty('abandoned')
    const collect = { type: 'CollectPack', userId, agreementId: 'O1', at: on('01-20') } as const
    expect(() => eventsOf(request, abandon, collect)).toThrow(expect.objectContaining({ code: 'unknown_order' }))
    expect(typesOf(request, abandon, report).at(-1)).toBe('SubscriptionSaleMismatched')
  })

  it('of a deleted account that had lapsed before is over, too', () => {
    const abandon = { type: 'AbandonPacks', userId, at: on('01-14') } as const
    const collect = { type: 'CollectPack', userId, agreementId: 'O1', at: on('01-20') } as const
    expect(eventsOf(request, lapse, abandon, abandon).slice(2)).toMatchObject([{ data: { abandoned: true } }])
    expect(() => eventsOf(request, lapse, abandon, collect)).toThrow(expect.objectContaining({ code: 'unknown_order' }))
    expect(typesOf(request, lapse, abandon, report).at(-1)).toBe('SubscriptionSaleMismatched')
  })

  it('is recorded once, and grants its credits once when it is paid', () => {
    expect(typesOf(request, request, report, report)).toEqual(['PackRequested', 'PackPaid'])
    expect(eventsOf(request, report)[1]?.data).toEqual({
      ...{ userId, agreementId: 'O1', saleId: 'C1', pack: 'medium', credits: 1_100 },
      ...{ ...SOLD, soldAt: on('01-11'), at: on('01-12') },
    })
  })

  it('lapses unpaid, and is granted with a mark if it is paid after all', () => {
    expect(typesOf(request, lapse, lapse)).toEqual(['PackRequested', 'PackLapsed'])
    expect(eventsOf(request, lapse, report).at(-1)).toMatchObject({ type: 'PackPaid', data: { late: true } })
    expect(typesOf(request, report, lapse)).toEqual(['PackRequested', 'PackPaid'])
  })

  it('is reopened before the money of a lapsed one is taken', () => {
    const collect = { type: 'CollectPack', userId, agreementId: 'O1', at: on('01-20') } as const
    expect(typesOf(request, collect)).toEqual(['PackRequested'])
    expect(typesOf(request, lapse, collect, collect)).toEqual(['PackRequested', 'PackLapsed', 'PackReopened'])
    expect(eventsOf(request, lapse, collect, report).at(-1)).toMatchObject({ data: { late: true } })
    expect(() => eventsOf(collect)).toThrow(expect.objectContaining({ code: 'unknown_order' }))
  })

  it.each([
    ['with another amount', { amountCents: 1_500 }],
    ['in another currency', { currency: 'EUR' }],
  ])('grants nothing for a payment %s, which is to be refunded', (_, change) => {
    const events = eventsOf(request, { ...report, ...change }, { ...report, ...change })
    expect(events.map(({ type }) => type)).toEqual(['PackRequested', 'SubscriptionSaleMismatched'])
  })

  it('grants nothing for a second payment, which is to be refunded', () => {
    expect(typesOf(request, report, { ...report, saleId: 'C2' })).toEqual([
      ...['PackRequested', 'PackPaid', 'SubscriptionSaleMismatched'],
    ])
  })

  it('is refused if it was not made here', () => {
    expect(() => eventsOf(report)).toThrow(expect.objectContaining({ code: 'unknown_order' }))
  })

  it('loses its share of credits by a refund, and all of them by the rest, whatever happens to a plan', () => {
    const refund = (reversalId: string, amountCents: number) =>
      ({
        type: 'ReportReversal',
        userId,
        saleId: 'C1',
        reversalId,
        kind: 'refund',
        amountCents,
        at: on('01-14'),
      }) as const
    const claims = eventsOf(request, report, refund('R1', 500), refund('R2', 999)).slice(2)
    expect(claims.map(({ type, data }) => [type, 'credits' in data && data.credits])).toEqual([
      ['SubscriptionSaleReversed', 366],
      ['SubscriptionSaleReversed', 734],
    ])
    const withPlan = [requested(), activated(), paid('s1')].reduce(subscription.evolve, subscription.initial)
    const bought = [request, report].reduce(
      (state, command) => subscription.decide(command, state).reduce(subscription.evolve, state),
      withPlan,
    )
    expect(subscription.decide(refund('R3', 1_499), bought).map(({ type }) => type)).toEqual([
      'SubscriptionSaleReversed',
    ])
    expect(bought.sales.map(({ id }) => id)).toEqual(['s1'])
  })
})

it('sells a credit of a pack for more than one of the Standard plan, and for less in a larger pack', () => {
  const prices = PACK_IDS.map((id) => priceOf(id, 'USD') / creditsOf(id))
  expect(prices).toEqual(prices.toSorted((a, b) => b - a))
  expect(Math.min(...prices)).toBeGreaterThan(PLANS.standard.priceCents / PLANS.standard.credits)
})
