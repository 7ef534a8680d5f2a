import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  DOUBLE_KEY,
  DOUBLE_SECRET,
  type StripeDouble,
  startStripeDouble,
} from '#backend/providers/payments/stripe/testing/stripeDouble.ts'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'

let double: StripeDouble
let kinora: TestKinora
beforeAll(async () => {
  double = await startStripeDouble({ clock: Date.now })
  kinora = await startTestKinora({
    env: {
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: DOUBLE_KEY,
      STRIPE_WEBHOOK_SECRET: DOUBLE_SECRET,
      STRIPE_BASE_URL: double.url,
    },
  })
})
afterAll(async () => {
  await kinora?.close()
  await double?.close()
})

const EVENT = {
  id: 'evt_1',
  type: 'checkout.session.completed',
  created: 1,
  data: { object: { id: 'cs_1', mode: 'payment', payment_status: 'unpaid' } },
}
const now = () => Math.floor(Date.now() / 1000)
const post = ({ headers, body }: ReturnType<StripeDouble['sign']>, address = 'stripe') =>
  fetch(`${kinora.url}/webhooks/${address}`, { method: 'POST', headers, body })
const sign = (change: { secret?: string; at?: number } = {}) => double.sign(EVENT as never, { at: now(), ...change })
const forged = async () => (await kinora.context.observability.metrics.forged.get()).values[0]?.value ?? 0
const stored = async () => {
  const { rows } = await kinora.context.pool.query(`select id from payment_webhook where id like 'stripe:%'`)
  return rows
}

describe('a webhook at the address of Stripe', () => {
  it.each([
    ['with a foreign secret', () => sign({ secret: 'whsec_foreign' })],
    ['that is too late', () => sign({ at: now() - 3_600 })],
    ['that is too early', () => sign({ at: now() + 3_600 })],
    ['of which a byte was changed', () => ({ ...sign(), body: Buffer.from(`${sign().body} `) })],
    ['without a signature', () => ({ ...sign(), headers: {} })],
  ])('%s is refused, and counted', async (_, make) => {
    const [before, known] = [await forged(), await stored()]
    expect((await post(make())).status).toBe(401)
    expect(await forged()).toBe(before + 1)
    expect(await stored()).toEqual(known)
  })

  it('is stored once, however often it is repeated', async () => {
    for (const webhook of [sign(), sign(), sign({ at: now() - 10 })]) expect((await post(webhook)).status).toBe(200)
    expect(await stored()).toEqual([{ id: 'stripe:evt_1' }])
  })

  it('is not expected at the address of another provider', async () => {
    expect((await post(sign(), 'paypal')).status).toBe(404)
  })
})
