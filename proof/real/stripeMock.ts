import assert from 'node:assert/strict'
import { createStripe } from '#backend/providers/payments/stripe/stripe.ts'
import { STRIPE_VERSION } from '#backend/providers/payments/stripe/stripeApi.ts'
import { DOUBLE_KEY, startStripeDouble } from '#backend/providers/payments/stripe/testing/stripeDouble.ts'
import {
  adapterOf,
  intentOf,
  memoryLinks,
  subscriptionOf,
} from '#backend/providers/payments/stripe/testing/stripeWorld.ts'
import type { NewAgreement } from '#backend/subscriptions/paymentProvider.port.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { goProgram, goVersion } from './goProgram.ts'
import type { Part, PartContext } from './part.ts'
import { startServer } from './server.ts'

const MODULE = 'github.com/stripe/stripe-mock'
const VERSION = 'v0.203.0'

/** Stripe's own mock, which checks each request against the description of Stripe's API. It has no state. */
export const STRIPE_PARTS: readonly Part[] = [{ name: 'stripe-mock', run: tryMock }]

async function tryMock({ cache }: PartContext): Promise<string> {
  const program = goProgram(cache, MODULE, '', VERSION)
  const [port, securePort] = [await freePort(), await freePort()]
  // Without the second address, it opens all interfaces.
  const addresses = ['-http-addr', `127.0.0.1:${port}`, '-https-addr', `127.0.0.1:${securePort}`]
  await using _ = await startServer([program, ...addresses], port)
  const url = `http://127.0.0.1:${port}`
  const requests = await recordRequests()
  assert.equal(requests.length, 26, requests.map(({ call }) => call).join('\n'))
  // No request needs an exception, although the mock's description is one release older than the pinned one.
  for (const { call, params } of requests) {
    assert.equal(await statusOf(url, call, params), 200, `${call} ${params}`)
    assert.equal(await statusOf(url, call, new URLSearchParams([...params, ['colour', 'red']])), 400, call)
  }
  await readAnswers(url)
  return goVersion(program, MODULE)
}

async function statusOf(base: string, call: string, params: URLSearchParams): Promise<number> {
  const [method = '', path = ''] = call.split(' ')
  const isPost = method === 'POST'
  const headers = { authorization: `Bearer ${DOUBLE_KEY}`, 'stripe-version': STRIPE_VERSION }
  const init = { method, headers, ...(isPost && { body: params }) }
  return (await fetch(`${base}${path}${isPost ? '' : `?${params}`}`, init)).status
}

/** Lets the adapter read the mock's fixed objects, which have the fields of real ones. It throws if it does not know them. */
async function readAnswers(baseUrl: string) {
  const links = { find: async () => ({ sessionId: 'cs_1', subscriptionId: 'sub_1' }), add: async () => {} }
  const provider = createStripe({
    secretKey: DOUBLE_KEY,
    webhookSecret: 'whsec_1',
    baseUrl,
    links,
    calendar: Date.now,
    clock: Date.now,
  })
  const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']
  const saleId = 'pi_1'
  assert.equal((await provider.getAgreement('sub_1'))?.id, 'cs_1')
  await provider.listSales('cs_1', '2000-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z')
  assert.ok(await provider.collectOrder('cs_1'))
  assert.ok(await provider.listReversals(from, to))
  await provider.getReversal({ saleId, reversalId: 're_1', reversal: 'refund' })
  assert.ok(await provider.getDispute('du_1'))
  await provider.getFraudWarning?.('issfr_1')
  assert.ok(await provider.paymentMethodUrl?.('cs_1', 'https://kinora.test/account'))
  await provider.refund({ saleId, refundId: 'one', amountCents: 100, currency: 'USD', reason: 'a reason' })
}

const general = (call: string) => call.replace(/\/[a-z]+_(test_)?\d+/, '/:id')

/** Returns one request of each shape that the adapter sends, as its double receives them. */
async function recordRequests() {
  const double = await startStripeDouble()
  const { model } = double
  const links = memoryLinks()
  const provider = adapterOf(double, { links })
  const soon = (hours: number) => new Date(model.now + hours * 3_600_000).toISOString()
  const plan = (startsAt: string | null): NewAgreement => ({
    requestId: `plan ${startsAt}`,
    userId: 'user-1',
    tier: 'pro',
    startsAt,
    language: 'zh',
    returnUrl: 'https://kinora.test/payment/success',
    cancelUrl: 'https://kinora.test/payment/cancel',
  })
  try {
    await provider.createAgreement(plan(soon(100)))
    await provider.createAgreement(plan(soon(10)))
    const { agreementId } = await provider.createAgreement(plan(null))
    await provider.createAgreement(plan(null))
    model.pay(agreementId)
    const subscription = subscriptionOf(double, agreementId)
    await provider.getAgreement(agreementId)
    links.all.length = 0
    await provider.getAgreement(subscription)
    model.failRenewal(subscription)
    await provider.getAgreement(agreementId)
    await provider.listSales(agreementId, soon(-1), soon(1))
    await provider.paymentMethodUrl?.(agreementId, 'https://kinora.test/account')
    await provider.pauseAgreement(agreementId, 'a reason')
    await provider.resumeAgreement(agreementId, 'a reason')
    model.find(subscription, 'subscription').cancel_at = model.seconds + 3_600
    await provider.resumeAgreement(agreementId, 'a reason')
    await provider.cancelAgreement(agreementId, 'a reason')
    const { tier: _, startsAt: __, ...about } = plan(null)
    const pack = { ...about, requestId: 'pack', credits: 300, amountCents: 3500, currency: 'CNY' }
    const { orderId } = await provider.createOrder(pack)
    model.pay(orderId)
    await provider.collectOrder(orderId)
    await provider.closeOrder(orderId)
    const saleId = intentOf(double, orderId)
    const wanted = { saleId, refundId: 'refund', amountCents: 100, currency: 'CNY', reason: 'a reason' }
    const refund = await provider.refund(wanted)
    assert.ok(refund)
    await provider.getReversal(refund)
    const { id: disputeId } = model.dispute(saleId)
    await provider.getDispute(disputeId)
    await provider.getReversal({ saleId, reversalId: '', reversal: 'reversal' })
    await provider.getFraudWarning?.(model.warn(saleId).id)
    await provider.listReversals(soon(-1), soon(1))
  } finally {
    await double.close()
  }
  const shapes = new Map(double.calls.map((each) => [`${general(each.call)} ${[...each.params.keys()]}`, each]))
  return [...shapes.values()]
}
