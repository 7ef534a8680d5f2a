import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type PaypalDouble,
  type SignedWebhook,
  startPaypalDouble,
} from '#backend/providers/payments/paypal/testing/paypalDouble.ts'
import type { PaypalEvent } from '#backend/providers/payments/paypal/testing/paypalModel.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { endOfYear } from '../testing/endOfYear.ts'
import { paypalOf, REQUEST, startPaypalProcess } from '../testing/paypalProcess.ts'

const DAY_MS = 24 * 3_600_000
let double: PaypalDouble
let agreementId: string

/** Simulates a buyer's year: monthly payments, one of them late, a partial refund, a reversal, a dispute won, and a cancellation. */
beforeAll(async () => {
  double = await startPaypalDouble()
  const { model } = double
  agreementId = (await paypalOf(double).createAgreement(REQUEST)).agreementId
  model.approve(agreementId)
  for (let month = 1; month <= 12; month++) {
    model.now += 31 * DAY_MS
    if (month === 3) {
      model.failPayment(agreementId)
      model.now += DAY_MS
    }
    if (month === 5) {
      model.turn(agreementId, 'SUSPENDED', 'SUSPENDED')
      model.now += DAY_MS
      model.turn(agreementId, 'ACTIVE', 'RE-ACTIVATED')
    }
    model.bill(agreementId)
    if (month === 7) model.refund(agreementId, 40)
    if (month === 9) model.reverse(agreementId)
    if (month === 10) {
      const disputeId = model.dispute(agreementId)
      model.reverse(agreementId)
      model.now += 5 * DAY_MS
      model.dispute(agreementId, { disputeId, outcome_code: 'RESOLVED_SELLER_FAVOUR' })
    }
  }
  model.now += DAY_MS
  model.turn(agreementId, 'CANCELLED', 'CANCELLED')
  model.now += DAY_MS
})
afterAll(() => double.close())

const endOf = async (arriving: readonly SignedWebhook[]) =>
  endOfYear(await startPaypalProcess(double, agreementId), arriving)

/** Forges an event: a modified body, another webhook id, and another key. */
function forge(event: PaypalEvent, key: KeyObject): SignedWebhook[] {
  const { headers, body } = double.sign(event)
  const invented = { ...event, id: `${event.id}-X`, resource: { ...event.resource, id: `${event.id}-X` } }
  return [
    { headers, body: Buffer.from(body.toString().replace(event.id, `${event.id}-Y`)) },
    double.sign(invented, { webhookId: 'ANOTHER' }),
    double.sign(invented, { key }),
  ]
}

describe('a year of PayPal webhooks', () => {
  const numRuns = FULL ? 200 : 3

  it(`reaches the same state in ${numRuns} runs with shuffled, duplicate, stale and forged webhooks`, {
    timeout: 1_800_000,
  }, async () => {
    const { events } = double.model
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const sent = events.map((event) => double.sign(event))
    // PayPal also reports the same state under other ids, and redelivers the first webhook at the end.
    const again = events.map((event) => double.sign({ ...event, id: `${event.id}-again` }))
    const forged = events.flatMap((event) => forge(event, privateKey))
    const expected = await endOf(sent)
    expect(expected).toMatchObject({ forged: 0, unread: 0, isEachStoredOnce: true })
    expect(expected.state.agreements).toMatchObject([{ status: 'ended', endCause: 'period_end', closed: true }])
    expect(new Set(expected.granted).size).toBe(13)
    expect(expected.granted).toHaveLength(13)
    expect(expected.state.sales.map(({ feeCents }) => feeCents)).toEqual(Array(13).fill(206))
    // Thirteen sales, of which one is refunded by two fifths and one is reversed. The rest is forfeited at the end.
    expect(expected.state).toMatchObject({ left: 13 * 4_500 - 1_800 - 4_500, debt: 0 })
    expect(expected.state.lots.filter(({ left }) => left > 0)).toEqual([])
    const all = [...sent, ...sent, ...again, ...forged]
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(all, { minLength: all.length }), async (arriving) => {
        expect(await endOf([...arriving, sent[0]!])).toEqual({ ...expected, forged: forged.length })
      }),
      { numRuns, seed: 20261121 },
    )
    console.log(`${events.length} events, ${all.length} webhooks a run, ${forged.length} forged`)
  })
})
