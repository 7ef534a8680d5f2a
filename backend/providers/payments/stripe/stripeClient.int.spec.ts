import { Stripe } from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ValidationError } from '#backend/kernel/http/problemDetails.ts'
import type { PaymentProvider } from '#backend/subscriptions/paymentProvider.port.ts'
import { STRIPE_VERSION } from './stripeApi.ts'
import { DOUBLE_KEY, DOUBLE_SECRET, type StripeDouble, startStripeDouble } from './testing/stripeDouble.ts'
import { adapterOf } from './testing/stripeWorld.ts'

/** The official client, which judges the double by its types and its verifier. Production does not contain it. */
let client: Stripe
let double: StripeDouble
let provider: PaymentProvider

beforeAll(async () => {
  double = await startStripeDouble()
  const { hostname: host, port } = new URL(double.url)
  client = new Stripe(DOUBLE_KEY, { host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
})
afterAll(() => double.close())
beforeEach(() => {
  provider = adapterOf(double)
  double.model.events.length = 0
})

const USER = { user_id: 'user-1' }
const PLAN = {
  mode: 'subscription',
  line_items: [
    {
      quantity: 1,
      price_data: {
        currency: 'usd',
        unit_amount: 4499,
        tax_behavior: 'inclusive',
        recurring: { interval: 'month' },
        product_data: { name: 'Kinora Pro' },
      },
    },
  ],
  subscription_data: { metadata: USER },
  client_reference_id: 'user-1',
  metadata: USER,
  locale: 'zh',
  adaptive_pricing: { enabled: false },
  success_url: 'https://kinora.test/payment/success?subscription_id={CHECKOUT_SESSION_ID}',
  cancel_url: 'https://kinora.test/payment/cancel',
} satisfies Stripe.Checkout.SessionCreateParams
const { subscription_data: _, ...SAME } = PLAN
const PACK = {
  ...SAME,
  mode: 'payment',
  line_items: [
    {
      quantity: 1,
      price_data: {
        currency: 'cny',
        unit_amount: 3500,
        tax_behavior: 'inclusive',
        product_data: { name: 'Kinora 300 积分' },
      },
    },
  ],
  payment_intent_data: { metadata: USER },
  payment_method_options: { wechat_pay: { client: 'web' } },
} satisfies Stripe.Checkout.SessionCreateParams

const subscribe = async () => {
  const session = await client.checkout.sessions.create(PLAN)
  double.model.pay(session.id)
  const { subscription } = await client.checkout.sessions.retrieve(session.id, { expand: ['subscription'] })
  if (!subscription || typeof subscription === 'string') expect.fail('the subscription is not expanded')
  return { session, subscription }
}
const buy = async () => {
  const session = await client.checkout.sessions.create(PACK)
  double.model.pay(session.id, { method: 'wechat_pay' })
  const expand = ['payment_intent.latest_charge']
  const { payment_intent: intent } = await client.checkout.sessions.retrieve(session.id, { expand })
  if (!intent || typeof intent === 'string') expect.fail('the payment is not expanded')
  return { session, intent }
}
const seconds = () => double.model.seconds

describe('the official client', () => {
  it('has the version of the API that the adapter pins', () => {
    expect(Stripe.API_VERSION).toBe(STRIPE_VERSION)
  })

  it('opens a plan, reads, pauses, resumes and cancels it', async () => {
    const { session, subscription } = await subscribe()
    expect(session).toMatchObject({ object: 'checkout.session', status: 'open', subscription: null })
    expect(session.expires_at).toBe(seconds() + 86_400)
    expect(subscription).toMatchObject({ object: 'subscription', status: 'active', metadata: USER })
    const { id } = subscription
    const comment = { comment: 'a reason' }
    const metadata = { session: session.id, status_at: '2026-01-31T12:00:00.000Z' }
    const pause = { cancel_at_period_end: true, metadata, cancellation_details: comment }
    const paused = await client.subscriptions.update(id, pause)
    expect(paused).toMatchObject({ cancel_at_period_end: true, metadata: { ...USER, ...metadata } })
    expect(paused.cancel_at).toBe(paused.items.data[0]?.current_period_end)
    expect(await client.subscriptions.update(id, { cancel_at_period_end: false })).toMatchObject({
      cancel_at: null,
      canceled_at: null,
    })
    await client.subscriptions.update(id, { cancel_at: '', default_payment_method: '' })
    const ended = await client.subscriptions.cancel(id, {
      prorate: false,
      invoice_now: false,
      cancellation_details: comment,
    })
    expect(ended).toMatchObject({ status: 'canceled', ended_at: seconds() })
    expect((await client.subscriptions.retrieve(id)).status).toBe('canceled')
    await expect(client.subscriptions.cancel(id)).rejects.toThrow(Stripe.errors.StripeInvalidRequestError)
    const { data } = await client.checkout.sessions.list({ subscription: id })
    expect(data.map((each) => each.id)).toEqual([session.id])
  })

  it('lists the sales of a plan with their payments and charges', async () => {
    const { subscription } = await subscribe()
    for (let month = 0; month < 3; month++) double.model.bill(subscription.id)
    const wanted = { subscription: subscription.id, status: 'paid' as const, expand: ['data.payments'] }
    const found = []
    for await (const invoice of client.invoices.list({ ...wanted, limit: 2 })) found.push(invoice)
    expect(found).toHaveLength(4)
    const [invoice] = found
    expect(invoice?.parent?.subscription_details?.subscription).toBe(subscription.id)
    expect(invoice?.status_transitions.paid_at).toBe(seconds())
    const [payment] = invoice?.payments?.data ?? []
    const charges = await client.charges.list({ customer: String(subscription.customer) })
    expect(charges.data.map((each) => each.payment_intent)).toContain(payment?.payment.payment_intent)
    double.model.advance(60_000)
    const expand = ['data.balance_transaction']
    const [charge] = (await client.charges.list({ customer: String(subscription.customer), expand })).data
    expect(charge?.balance_transaction).toMatchObject({ object: 'balance_transaction', fee: 160, currency: 'usd' })
    const { data } = await client.invoices.list({ ...wanted, expand: [] })
    expect(data[0]?.payments).toBe(undefined)
  })

  it('opens, reads and closes a pack, and lets its buyer change the card of a plan', async () => {
    const { session, intent } = await buy()
    expect(intent).toMatchObject({ status: 'succeeded', metadata: USER, latest_charge: { object: 'charge' } })
    const paid = await client.checkout.sessions.retrieve(session.id)
    expect(paid).toMatchObject({ payment_status: 'paid', payment_intent: intent.id, currency: 'cny' })
    const other = await client.checkout.sessions.create(PACK)
    expect((await client.checkout.sessions.expire(other.id)).status).toBe('expired')
    await expect(client.checkout.sessions.expire(other.id)).rejects.toThrow('can be expired')
    const { subscription } = await subscribe()
    const customer = String(subscription.customer)
    const method = String(subscription.default_payment_method)
    const changed = await client.customers.update(customer, { invoice_settings: { default_payment_method: method } })
    expect(changed.invoice_settings.default_payment_method).toBe(method)
    const return_url = 'https://kinora.test/account'
    const portal = await client.billingPortal.sessions.create({
      customer,
      return_url,
      flow_data: {
        type: 'payment_method_update',
        after_completion: { type: 'redirect', redirect: { return_url } },
      },
    })
    expect(portal).toMatchObject({ object: 'billing_portal.session', return_url })
  })

  it('refunds, and reads refunds, disputes and fraud warnings', async () => {
    const { intent } = await buy()
    const metadata = { refund_id: 'refund-1', reason: 'a reason' }
    const wanted = { payment_intent: intent.id, amount: 500, reason: 'requested_by_customer', metadata } as const
    const refund = await client.refunds.create(wanted)
    expect(refund).toMatchObject({ object: 'refund', status: 'succeeded', metadata })
    expect(await client.refunds.retrieve(refund.id)).toMatchObject({ id: refund.id })
    const dispute = double.model.dispute(intent.id)
    const created = { gte: seconds(), lte: seconds() }
    for (const filter of [{ payment_intent: intent.id }, { created }]) {
      const { data: refunds } = await client.refunds.list(filter)
      const { data: disputes } = await client.disputes.list(filter)
      expect(refunds.map(({ id }) => id)).toContain(refund.id)
      expect(disputes.map(({ id }) => id)).toContain(dispute.id)
    }
    const read = await client.disputes.retrieve(dispute.id)
    expect(read).toMatchObject({ status: 'needs_response', balance_transactions: [{ amount: -3500 }] })
    const { id } = double.model.warn(intent.id)
    expect(await client.radar.earlyFraudWarnings.retrieve(id)).toMatchObject({ actionable: true })
    await expect(client.disputes.retrieve('du_unknown')).rejects.toMatchObject({ code: 'resource_missing' })
  })

  it('gets the same answer for the same idempotency key, for a day, and an error for other parameters', async () => {
    const options = { idempotencyKey: 'key-of-the-client' }
    const first = await client.checkout.sessions.create(PLAN, options)
    const again = await client.checkout.sessions.create(PLAN, options)
    expect(again.id).toBe(first.id)
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true')
    const other = client.checkout.sessions.create({ ...PLAN, locale: 'en' }, options)
    await expect(other).rejects.toThrow(Stripe.errors.StripeIdempotencyError)
    double.model.advance(24 * 3_600_000)
    expect((await client.checkout.sessions.create(PLAN, options)).id).not.toBe(first.id)
  })

  it('is refused what Stripe refuses: unknown and removed parameters, a near trial, another key or version', async () => {
    const create = (change: object) => client.checkout.sessions.create({ ...PLAN, ...change })
    await expect(create({ payment_method_types: ['card'] })).rejects.toMatchObject({ code: 'parameter_unknown' })
    await expect(create({ colour: 'red' })).rejects.toMatchObject({ param: 'colour' })
    const trial_end = seconds() + 47 * 3600
    await expect(create({ subscription_data: { trial_end } })).rejects.toThrow('at least 2 days in the future')
    await expect(client.subscriptions.retrieve('sub_unknown')).rejects.toMatchObject({ statusCode: 404 })
    const { hostname: host, port } = new URL(double.url)
    const foreign = new Stripe('sk_test_other', { host, port, protocol: 'http', maxNetworkRetries: 0 })
    await expect(foreign.refunds.list()).rejects.toThrow(Stripe.errors.StripeAuthenticationError)
    await expect(client.refunds.list({}, { apiVersion: '2025-03-31.basil' })).rejects.toThrow('version')
  })
})

describe('a webhook', () => {
  const constructed = (body: Buffer, header: string) =>
    client.webhooks.constructEvent(body, header, DOUBLE_SECRET, 300, undefined, double.model.now)

  it('of each type is accepted by the official verifier, and by ours', async () => {
    const { model } = double
    const { subscription } = await subscribe()
    model.failRenewal(subscription.id, 'action')
    model.bill(subscription.id)
    model.cancel(subscription.id)
    const { intent } = await buy()
    model.refund(intent.id, { amount: 1 })
    model.refundStatus = 'pending'
    model.endRefund(model.refund(intent.id, { amount: 1 }).id, 'failed')
    model.refundStatus = 'succeeded'
    model.closeDispute(model.dispute(intent.id).id, 'won')
    model.warn(intent.id)
    for (const succeeds of [true, false]) {
      const { id } = await client.checkout.sessions.create(PACK)
      model.pay(id, { method: 'alipay', outcome: 'later' })
      model.settle(id, succeeds)
    }
    model.expire((await client.checkout.sessions.create(PACK)).id)
    const types = new Set<string>()
    for (const event of model.events.splice(0)) {
      const { headers, body } = double.sign(event)
      const official: Stripe.Event = constructed(body, headers['stripe-signature']!)
      expect(official).toMatchObject({ id: event.id, object: 'event', api_version: STRIPE_VERSION })
      const ours = await provider.verifyWebhook(headers, body)
      expect(ours).toMatchObject({ id: event.id, type: event.type, transmissionId: `${event.id} ${model.seconds}` })
      types.add(official.type)
    }
    expect([...types].toSorted()).toEqual([
      'charge.dispute.closed',
      'charge.dispute.created',
      'charge.dispute.funds_reinstated',
      'charge.dispute.funds_withdrawn',
      'charge.refunded',
      'checkout.session.async_payment_failed',
      'checkout.session.async_payment_succeeded',
      'checkout.session.completed',
      'checkout.session.expired',
      'customer.subscription.created',
      'customer.subscription.deleted',
      'customer.subscription.updated',
      'invoice.paid',
      'invoice.payment_action_required',
      'invoice.payment_failed',
      'radar.early_fraud_warning.created',
      'refund.created',
      'refund.failed',
      'refund.updated',
    ])
  })

  const event = (change: object = {}) => ({
    ...{ id: 'evt_1', object: 'event', type: 'customer.subscription.updated', api_version: STRIPE_VERSION },
    ...{
      created: seconds(),
      data: { object: { id: 'sub_1', status: 'active', cancel_at_period_end: false, metadata: {} } },
    },
    ...change,
  })
  /** Signs as the official client does. */
  const signed = (payload: string, { secret = DOUBLE_SECRET, timestamp = seconds(), scheme = 'v1' } = {}) =>
    client.webhooks.generateTestHeaderString({ payload, secret, timestamp, scheme })
  const verify = (header: string | undefined, payload: string) =>
    provider.verifyWebhook({ 'stripe-signature': header }, Buffer.from(payload))

  it('that the official client signs is accepted', async () => {
    const payload = JSON.stringify(event(), null, 2)
    expect(await verify(signed(payload), payload)).toEqual({
      id: 'evt_1',
      type: 'customer.subscription.updated',
      objectId: `customer.subscription.updated sub_1 active false  ${seconds()}`,
      subject: { kind: 'agreement', agreementId: 'sub_1' },
      transmissionId: `evt_1 ${seconds()}`,
    })
  })

  it('with two signatures is accepted while a secret is rolled', async () => {
    const payload = JSON.stringify(event())
    const [time, own] = signed(payload).split(',')
    const [, former] = signed(payload, { secret: 'whsec_former' }).split(',')
    expect(await verify(`${time},${former},${own}`, payload)).toBeDefined()
    expect(await verify(`${time},${own},${former}`, payload)).toBeDefined()
    expect(await verify(`${time},${former}`, payload)).toBe(undefined)
  })

  it.each([
    [-300, true],
    [-301, false],
    [300, true],
    // The official client accepts this one.
    [301, false],
  ])('that was signed %i seconds from now: accepted is %j', async (offset, isAccepted) => {
    const payload = JSON.stringify(event())
    const header = signed(payload, { timestamp: seconds() + offset })
    expect((await verify(header, payload)) !== undefined).toBe(isAccepted)
  })

  it('is refused with another body, scheme, secret, time or header', async () => {
    const payload = JSON.stringify(event())
    const header = signed(payload)
    const [time = '', signature = ''] = header.split(',')
    for (const [forged, body] of [
      [header, JSON.stringify(event(), null, 1)],
      [signed(payload, { scheme: 'v0' }), payload],
      [signed(payload, { secret: 'double' }), payload],
      [`${time.slice(0, -1)}9,${signature}`, payload],
      [`${time},${signature.slice(0, -1)}`, payload],
      [`${time},v1=`, payload],
      [time, payload],
      [signature, payload],
      ['', payload],
      [undefined, payload],
    ] as const)
      expect(await verify(forged, body)).toBe(undefined)
  })

  it.each<[string, RegExp, () => object]>([
    ['no event', /id: invalid, type: invalid/, () => ({})],
    [
      'of an endpoint with another version of the API',
      /api_version: unsupported/,
      () => event({ api_version: '2024-06-20' }),
    ],
    ['without its object', /status: invalid/, () => event({ data: { object: {} } })],
  ])('that is signed, but %s, throws', async (_, message, body) => {
    const payload = JSON.stringify(body())
    await expect(verify(signed(payload), payload)).rejects.toThrow(message)
    const text = payload.slice(1)
    await expect(verify(signed(text), text)).rejects.toThrow(ValidationError)
  })

  it('of an endpoint with a later version of the same release is accepted', async () => {
    const payload = JSON.stringify(event({ api_version: '2026-11-25.endive' }))
    expect(await verify(signed(payload), payload)).toBeDefined()
  })

  it('about something else is ignored', async () => {
    const objects = {
      'invoice.paid': { id: 'in_1', parent: null },
      'invoice.created': { id: 'in_1' },
      'checkout.session.completed': { id: 'cs_1', mode: 'setup', payment_status: 'no_payment_required' },
      'charge.refunded': { id: 'ch_1', payment_intent: null },
      'charge.dispute.funds_withdrawn': { id: 'du_1', payment_intent: null, status: 'lost' },
      'customer.created': { id: 'cus_1' },
    }
    for (const [type, object] of Object.entries(objects)) {
      const payload = JSON.stringify(event({ type, data: { object } }))
      expect((await verify(signed(payload), payload))?.subject).toEqual({ kind: 'other' })
    }
  })

  it('tells the states of an object apart, and not the deliveries of one', async () => {
    const objectIdOf = async (change: object, status = 'active') => {
      const object = { id: 'sub_1', status, cancel_at_period_end: false, metadata: {} }
      const payload = JSON.stringify(event({ ...change, data: { object } }))
      return (await verify(signed(payload), payload))?.objectId
    }
    const first = await objectIdOf({})
    expect(await objectIdOf({ id: 'evt_2' })).toBe(first)
    expect(await objectIdOf({ id: 'evt_3' }, 'past_due')).not.toBe(first)
    expect(await objectIdOf({ id: 'evt_4', created: seconds() + 1 })).not.toBe(first)
  })
})
