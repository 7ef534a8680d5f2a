import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StripeDouble, startStripeDouble } from '#backend/providers/payments/stripe/testing/stripeDouble.ts'
import { adapterOf, intentOf, subscriptionOf } from '#backend/providers/payments/stripe/testing/stripeWorld.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { endOfYear } from '../testing/endOfYear.ts'
import { startPaymentProcess, userId } from '../testing/paymentProcess.ts'

const DAY_MS = 24 * 3_600_000
let double: StripeDouble
let sessionId: string
let createdAt: string

/**
 * Simulates a buyer's year: twelve renewals, one of them late, a partial refund, another that fails, a chargeback, a dispute
 * won, an inquiry, a pause that is taken back, another, and a cancellation.
 */
beforeAll(async () => {
  double = await startStripeDouble()
  const { model } = double
  const provider = adapterOf(double)
  const request = { requestId: 'request', userId, tier: 'pro', startsAt: null, language: 'en' } as const
  const urls = { returnUrl: 'https://kinora.test/payment/success', cancelUrl: 'https://kinora.test/payment/cancel' }
  createdAt = new Date(model.now).toISOString()
  sessionId = (await provider.createAgreement({ ...request, ...urls })).agreementId
  model.pay(sessionId)
  const subscription = subscriptionOf(double, sessionId)
  for (let month = 1; month <= 12; month++) {
    model.advance(20 * DAY_MS)
    if (month === 3) model.renewals.set(subscription, 'declined')
    model.advance(11 * DAY_MS)
    if (month === 3) model.bill(subscription)
    const sale = intentOf(double, sessionId)
    if (month === 5) {
      await provider.pauseAgreement(sessionId, 'a reason')
      model.advance(DAY_MS)
      await provider.resumeAgreement(sessionId, 'a reason')
    }
    if (month === 6) model.endRefund(model.refund(sale, { amount: 1000 }).id, 'failed')
    if (month === 7) model.refund(sale, { amount: 1800 })
    if (month === 8) model.dispute(sale, { inquiry: true })
    if (month === 9) model.closeDispute(model.dispute(sale).id, 'lost')
    if (month === 10) {
      const { id } = model.dispute(sale)
      model.advance(5 * DAY_MS)
      model.closeDispute(id, 'won')
    }
  }
  await provider.pauseAgreement(sessionId, 'a reason')
  model.advance(DAY_MS)
  await provider.cancelAgreement(sessionId, 'a reason')
  model.advance(DAY_MS)
})
afterAll(() => double.close())

describe('a year of Stripe webhooks', () => {
  const numRuns = FULL ? 200 : 3

  it(`reaches the same state in ${numRuns} runs with shuffled, duplicate and forged webhooks`, {
    timeout: 1_800_000,
  }, async () => {
    const { model } = double
    const endOf = async (arriving: Parameters<typeof endOfYear>[1]) => {
      const agreement = { agreementId: `stripe:${sessionId}`, at: createdAt, now: model.now }
      return endOfYear(await startPaymentProcess(adapterOf(double), agreement), arriving)
    }
    const sent = model.events.map((event) => double.sign(event))
    // Stripe signs each delivery again, and reports the same state under other ids.
    const again = model.events.map((event) => double.sign(event, { at: model.seconds - 200 }))
    const other = model.events.map((event) => double.sign({ ...event, id: `${event.id}_again` }))
    const forged = model.events.map((event) => double.sign(event, { secret: 'whsec_other' }))
    const replayed = model.events.map((event) => double.sign(event, { at: model.seconds - 301 }))
    const expected = await endOf(sent)
    expect(expected).toMatchObject({ forged: 0, unread: 0, isEachStoredOnce: true })
    expect(expected.state.agreements).toMatchObject([{ status: 'ended', endCause: 'period_end', closed: true }])
    expect(new Set(expected.granted).size).toBe(13)
    expect(expected.granted).toHaveLength(13)
    expect(expected.state.sales.map(({ feeCents }) => feeCents)).toEqual(Array(13).fill(160))
    // Thirteen sales, of which one is refunded by two fifths, and one is charged back. The rest is forfeited at the end.
    expect(expected.state).toMatchObject({ left: 13 * 4_500 - 1_800 - 4_500, debt: 0 })
    expect(expected.state.lots.filter(({ left }) => left > 0)).toEqual([])
    const all = [...sent, ...again, ...other, ...forged, ...replayed]
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(all, { minLength: all.length }), async (arriving) => {
        expect(await endOf([...arriving, sent[0]!])).toEqual({ ...expected, forged: forged.length + replayed.length })
      }),
      { numRuns, seed: 20261129 },
    )
    console.log(`${sent.length} events, ${all.length} webhooks a run, ${forged.length + replayed.length} refused`)
  })
})
