import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  chargebackIdOf,
  type NewAgreement,
  type NewOrder,
  type PaymentProvider,
  PaymentProviderDown,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { paymentProviderContract } from '../testing/paymentProviderContract.ts'
import { StripeRefusal } from './stripeApi.ts'
import { DOUBLE_KEY, type Fault, type StripeDouble, startStripeDouble } from './testing/stripeDouble.ts'
import { adapterOf, intentOf, memoryLinks, subscriptionOf } from './testing/stripeWorld.ts'

paymentProviderContract('Stripe (its double)', async () => {
  const own = await startStripeDouble()
  const { model } = own
  // Both tell again what another event has told.
  for (const type of ['charge.refunded', 'refund.updated']) model.unsent.add(type)
  return {
    provider: adapterOf(own),
    now: () => model.now,
    advance: (ms) => model.advance(ms),
    approve: async (id) => void model.pay(id),
    bill: async (id) => model.bill(subscriptionOf(own, id)),
    failPayment: async (id) => model.failRenewal(subscriptionOf(own, id)),
    refund: async (id) => void model.refund(intentOf(own, id)),
    collectsItself: true,
    payOrder: async (id) => void model.pay(id),
    refundOrder: async (id) => void model.refund(intentOf(own, id)),
    failRefund: async ({ reversalId }) => model.endRefund(reversalId, 'failed'),
    ages: { accepted: [0, -300_000, 300_000], refused: [-301_000, 301_000] },
    webhooks: async () => model.events.splice(0).map((event) => own.sign(event)),
    close: own.close,
  }
})

let double: StripeDouble
let provider: PaymentProvider
let count = 0
const DAY = 24 * 3_600_000
const FROM = '2026-01-01T00:00:00.000Z'
const SESSIONS = '/v1/checkout/sessions'
const OPEN = `POST ${SESSIONS}`

const request = (change: Partial<NewAgreement> = {}): NewAgreement => ({
  requestId: `request-${++count}`,
  userId: 'user-1',
  tier: 'pro',
  startsAt: null,
  language: 'zh',
  returnUrl: 'https://kinora.test/zh/payment/success?provider=stripe',
  cancelUrl: 'https://kinora.test/zh/payment/cancel',
  ...change,
})
const order = (change: Partial<NewOrder> = {}): NewOrder => {
  const { tier: _, startsAt: __, ...about } = request()
  return { ...about, credits: 300, amountCents: 3500, currency: 'CNY', ...change }
}
const at = (ms = 0) => new Date(double.model.now + ms).toISOString()
const called = (call: string) => double.calls.filter((each) => each.call === call)
const opened = async (change?: Partial<NewAgreement>) => (await provider.createAgreement(request(change))).agreementId
const approved = async (change?: Partial<NewAgreement>) => {
  const id = await opened(change)
  double.model.pay(id)
  return id
}
const read = async (id: string) => (await provider.getAgreement(id)) ?? expect.fail(`${id} is unknown`)
const sales = (id: string) => provider.listSales(id, FROM, at())
const ordered = async (change?: Partial<NewOrder>) => (await provider.createOrder(order(change))).orderId
const bought = async () => {
  const id = await ordered()
  double.model.pay(id)
  return { id, sale: intentOf(double, id) }
}
/** Returns what the verifier says of the webhooks that were sent since the last call. */
const webhooks = () =>
  Promise.all(
    double.model.events.splice(0).map(async (event) => {
      const { headers, body } = double.sign(event)
      return (await provider.verifyWebhook(headers, body)) ?? expect.fail(`${event.type} is refused`)
    }),
  )
const subjectsOf = async (type: string) => (await webhooks()).filter((each) => each.type === type).map((w) => w.subject)
/** Injects a fault into the first calls of a kind, by default into all. */
const injectFault = (call: string, fault: Fault, times = Number.POSITIVE_INFINITY) => {
  let left = times
  double.fault = (each) => (each === call && left-- > 0 ? fault : undefined)
}

beforeAll(async () => {
  double = await startStripeDouble()
})
afterAll(() => double.close())
beforeEach(() => {
  provider = adapterOf(double)
  double.fault = () => undefined
  double.calls.length = 0
  double.model.events.length = 0
  double.model.refundStatus = 'succeeded'
  double.model.keepsSessions = true
  double.model.readsBalance = true
})

describe('a request to Stripe', () => {
  const formOf = (params: URLSearchParams | undefined) => Object.fromEntries(params ?? [])

  it('opens a plan with its price, tax included, and the id template unescaped', async () => {
    await provider.createAgreement(request({ requestId: 'plan' }))
    const [{ key, params } = expect.fail()] = called(OPEN)
    expect(key).toMatch(/^plan [0-9a-f]{16}$/)
    expect(formOf(params)).toEqual({
      mode: 'subscription',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '4499',
      'line_items[0][price_data][tax_behavior]': 'inclusive',
      'line_items[0][price_data][product_data][name]': 'Kinora Pro',
      'line_items[0][price_data][recurring][interval]': 'month',
      'subscription_data[metadata][user_id]': 'user-1',
      client_reference_id: 'user-1',
      'metadata[user_id]': 'user-1',
      locale: 'zh',
      'adaptive_pricing[enabled]': 'false',
      success_url: 'https://kinora.test/zh/payment/success?provider=stripe&subscription_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://kinora.test/zh/payment/cancel',
    })
  })

  it('opens a pack in yuan for WeChat Pay, and leaves the payment methods to the account', async () => {
    await provider.createOrder(order({ language: 'en', returnUrl: 'https://kinora.test/payment/success' }))
    const form = formOf(called(OPEN)[0]?.params)
    expect(form).toMatchObject({
      mode: 'payment',
      'line_items[0][price_data][currency]': 'cny',
      'line_items[0][price_data][unit_amount]': '3500',
      'payment_intent_data[metadata][user_id]': 'user-1',
      'payment_method_options[wechat_pay][client]': 'web',
      success_url: 'https://kinora.test/payment/success?token={CHECKOUT_SESSION_ID}',
    })
    expect(Object.keys(form).filter((name) => /payment_method_types|recurring|subscription/.test(name))).toEqual([])
  })
})

describe('a failed call', () => {
  it.each<Fault>([
    'hang',
    'reset',
    'done, then hang',
    'done, then reset',
    { status: 500 },
    { status: 503, text: '<html>' },
    { status: 409 },
    { status: 400, headers: { 'stripe-should-retry': 'true' } },
    { status: 429, headers: { 'stripe-should-retry': 'true' } },
  ])('is retried once after %j and opens one session', async (fault) => {
    injectFault(OPEN, fault, 1)
    const before = double.model.all('checkout.session').length
    const { approvalUrl } = await provider.createAgreement(request())
    expect(approvalUrl).toMatch(/\/c\/pay\/cs_test_/)
    const opened = double.model.all('checkout.session').length - before
    expect([called(OPEN).length, opened]).toEqual([2, 1])
  })

  it.each<[Fault, number]>([
    ['hang', 2],
    ['reset', 2],
    [{ status: 500 }, 2],
    [{ status: 500, headers: { 'stripe-should-retry': 'false' } }, 1],
    [{ status: 429 }, 1],
    [{ status: 200, text: '<html>not JSON' }, 1],
    [{ status: 200, text: '{"id":7}' }, 1],
  ])('throws PaymentProviderDown on a permanent %j, after %i calls', async (fault, calls) => {
    injectFault(OPEN, fault)
    await expect(provider.createAgreement(request())).rejects.toThrow(PaymentProviderDown)
    expect(called(OPEN)).toHaveLength(calls)
  })

  it('throws PaymentProviderDown from every method when Stripe is unreachable', async () => {
    const down = adapterOf(double, { baseUrl: 'http://127.0.0.1:1' })
    const sale = { saleId: 'pi_1', reversalId: 're_1', reversal: 'refund' } as const
    const calls = [
      down.createAgreement(request()),
      down.createOrder(order()),
      down.collectOrder('cs_1'),
      down.closeOrder('cs_1'),
      down.getAgreement('cs_1'),
      down.getAgreement('sub_1'),
      down.listSales('cs_1', FROM, at()),
      down.listReversals(FROM, at()),
      down.getReversal(sale),
      down.getDispute('du_1'),
      down.getFraudWarning?.('issfr_1'),
      down.refund({ saleId: 'pi_1', refundId: 'a', amountCents: 1, currency: 'USD', reason: 'a' }),
      down.paymentMethodUrl?.('cs_1', 'https://kinora.test'),
      down.pauseAgreement('cs_1', 'a'),
      down.resumeAgreement('cs_1', 'a'),
      down.cancelAgreement('cs_1', 'a'),
    ]
    for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[])
      expect(reason).toBeInstanceOf(PaymentProviderDown)
  })

  it.each<[number, string | undefined]>([
    [400, undefined],
    [402, undefined],
    [404, ''],
  ])('throws StripeRefusal with code and request id, and without a retry: %i', async (status, text) => {
    injectFault(OPEN, { status, ...(text !== undefined && { text }) })
    const error = await provider.createAgreement(request()).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StripeRefusal)
    const said = text === '' ? '' : ' simulated A fault'
    expect((error as Error).message).toMatch(new RegExp(`HTTP ${status}${said} \\(req_[0-9a-f]{14}\\)$`))
    expect(called(OPEN)).toHaveLength(1)
  })

  it('throws StripeRefusal after a retry that Stripe advised', async () => {
    injectFault(OPEN, { status: 400, headers: { 'stripe-should-retry': 'true' } })
    await expect(provider.createAgreement(request())).rejects.toThrow(StripeRefusal)
    expect(called(OPEN)).toHaveLength(2)
  })

  it('follows no redirect, which would take the key elsewhere', async () => {
    const elsewhere = await startStripeDouble()
    injectFault(OPEN, { status: 307, headers: { location: `${elsewhere.url}${SESSIONS}` } })
    await expect(provider.createAgreement(request())).rejects.toThrow(PaymentProviderDown)
    expect(elsewhere.calls).toEqual([])
    await elsewhere.close()
  })

  it('never reveals the secret key in errors', async () => {
    const error = await adapterOf(double, { secretKey: 'sk_live_another' })
      .getAgreement('cs_1')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'StripeRefusal', status: 401 })
    expect((error as Error).message).toContain('Invalid API Key provided: …')
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack])).not.toContain('sk_live_another')
    expect(JSON.stringify(double.calls)).not.toContain(DOUBLE_KEY)
  })
})

describe('an idempotent request', () => {
  it('that is repeated after its session expired opens another', async () => {
    const one = request()
    const first = await provider.createAgreement(one)
    double.model.expire(first.agreementId)
    const second = await provider.createAgreement(one)
    expect(second.agreementId).not.toBe(first.agreementId)
    expect((await read(first.agreementId)).status).toBe('expired')
    expect(await provider.createAgreement(one)).toEqual(second)
    double.model.expire(second.agreementId)
    const third = await provider.createAgreement(one)
    expect((await read(third.agreementId)).status).toBe('pending')
  })

  it('that is repeated when its start is near has other parameters, which are no error', async () => {
    const one = request({ startsAt: at(50 * 3_600_000) })
    await provider.createAgreement(one)
    double.model.advance(3 * 3_600_000)
    const { agreementId } = await provider.createAgreement(one)
    const forms = called(OPEN).map(({ params }) => [...params.keys()].find((name) => /trial|anchor/.test(name)))
    expect(forms).toEqual(['subscription_data[trial_end]', 'subscription_data[billing_cycle_anchor]'])
    expect((await read(agreementId)).status).toBe('pending')
  })

  it('that is repeated after the buyer paid has no page any more', async () => {
    const one = request()
    const { agreementId } = await provider.createAgreement(one)
    double.model.pay(agreementId)
    expect(await provider.createAgreement(one)).toEqual({ agreementId, approvalUrl: undefined })
  })
})

describe('an agreement', () => {
  it('keeps the id of its session, also when it is asked for by that of its subscription', async () => {
    const id = await approved()
    const subscription = subscriptionOf(double, id)
    const agreement = await read(id)
    expect(agreement).toMatchObject({ id, userId: 'user-1', status: 'active' })
    expect(await read(subscription)).toEqual(agreement)
    expect(await adapterOf(double).getAgreement(subscription)).toEqual(agreement)
  })

  it('is found when Stripe no longer shows its session', async () => {
    const links = memoryLinks()
    provider = adapterOf(double, { links })
    const [id, other, third] = [await approved(), await approved(), await approved()]
    await read(subscriptionOf(double, third))
    const agreement = await read(id)
    await provider.pauseAgreement(other, 'a reason')
    double.model.keepsSessions = false
    expect(await read(id)).toEqual(agreement)
    expect(await read(subscriptionOf(double, id))).toEqual(agreement)
    expect(await read(third)).toMatchObject({ id: third, status: 'active' })
    // The subscription itself names the session since its first change.
    links.all.length = 0
    expect(await read(subscriptionOf(double, other))).toMatchObject({ id: other, status: 'suspended' })
  })

  it('is unknown if another system made its subscription, or it is an order', async () => {
    const { id: subscription } = double.model.add('sub', 'subscription', {
      ...{ status: 'active', customer: 'cus_other', metadata: {}, cancel_at_period_end: false },
      items: { data: [{ current_period_end: double.model.seconds + 86_400 }] },
    })
    expect(await provider.getAgreement(subscription)).toBe(undefined)
    double.model.objects.delete(subscription)
    expect(await provider.getAgreement((await bought()).id)).toBe(undefined)
    expect(await provider.collectOrder(await approved())).toBe(undefined)
  })

  it.each([
    ['trial_end', 49],
    ['trial_end', 720],
    ['billing_cycle_anchor', 48.75],
    ['billing_cycle_anchor', 1],
  ])('that starts later is deferred by %s, %d hours ahead', async (form, hours) => {
    const startsAt = at(hours * 3_600_000)
    const id = await approved({ startsAt })
    const [{ params } = expect.fail()] = called(OPEN)
    expect(params.get(`subscription_data[${form}]`)).toBe(String(Date.parse(startsAt) / 1000))
    expect(params.get('subscription_data[proration_behavior]')).toBe(form === 'trial_end' ? null : 'none')
    expect(await read(id)).toMatchObject({ status: 'active', trial: false, nextBillingAt: startsAt })
    expect(await sales(id)).toEqual([])
    double.model.advance(hours * 3_600_000)
    expect(await sales(id)).toMatchObject([{ amountCents: 4499, soldAt: startsAt }])
  })

  it('is never billed before its start, which Stripe knows by the second', async () => {
    await opened({ startsAt: at(50 * 3_600_000 + 1) })
    const end = called(OPEN)[0]?.params.get('subscription_data[trial_end]')
    expect(end).toBe(String(double.model.seconds + 50 * 3600 + 1))
  })

  it('that starts in the past is billed on approval', async () => {
    const id = await approved({ startsAt: at(-1_000) })
    expect(await sales(id)).toHaveLength(1)
  })

  it('does not count the invoice of 0 that opens a deferred start as a sale', async () => {
    const id = await approved({ startsAt: at(10 * DAY) })
    const types = double.model.events.map(({ type }) => type)
    expect(types).toContain('invoice.paid')
    expect(await sales(id)).toEqual([])
    const other = await approved()
    const [invoice] = double.model.all('invoice')
    Object.assign(invoice ?? expect.fail(), { amount_paid: 0 })
    expect(await sales(other)).toEqual([])
  })

  it.each([
    ['incomplete', 'pending'],
    ['trialing', 'active'],
    ['active', 'active'],
    ['past_due', 'active'],
    ['unpaid', 'suspended'],
    ['paused', 'suspended'],
    ['canceled', 'cancelled'],
    ['incomplete_expired', 'expired'],
    ['of_the_future', 'suspended'],
  ])('whose subscription is %s is %s', async (status, expected) => {
    const id = await approved()
    const subscription = double.model.find(subscriptionOf(double, id), 'subscription')
    subscription.status = status
    const agreement = await read(id)
    expect(agreement.status).toBe(expected)
    expect(agreement.nextBillingAt === null).toBe(expected !== 'active')
    // Nothing more is due of one that was changed by hand.
    double.model.objects.delete(subscription.id)
  })

  it('is suspended if the portal or the dashboard sets its end to a date, and can be resumed', async () => {
    const id = await approved()
    const subscription = double.model.find(subscriptionOf(double, id), 'subscription')
    subscription.cancel_at = double.model.seconds + 86_400
    expect((await read(id)).status).toBe('suspended')
    await provider.resumeAgreement(id, 'a reason')
    expect((await read(id)).status).toBe('active')
  })

  it('ends at Stripe by itself when it stays paused', async () => {
    const id = await approved()
    await provider.pauseAgreement(id, 'a reason')
    const paused = await read(id)
    double.model.advance(32 * DAY)
    const ended = await read(id)
    expect([paused.status, ended.status]).toEqual(['suspended', 'cancelled'])
    expect(ended.statusAt > paused.statusAt).toBe(true)
    expect(await sales(id)).toHaveLength(1)
  })

  it.each([
    ['slow', -3_600_000],
    ['right', 0],
    ['fast', 3_600_000],
  ])('has a later time for each change, also if the clock of this host is %s', async (_, skew) => {
    provider = adapterOf(double, { calendar: () => double.model.now + skew })
    const id = await approved()
    const times = [(await read(id)).statusAt]
    for (const change of ['pauseAgreement', 'resumeAgreement', 'pauseAgreement', 'cancelAgreement'] as const) {
      await provider[change](id, 'a reason')
      const { statusAt } = await read(id)
      await provider[change](id, 'a reason')
      expect((await read(id)).statusAt).toBe(statusAt)
      times.push(statusAt)
    }
    expect(times).toEqual([...new Set(times)].toSorted())
  })

  it('that is still open expires when it is cancelled', async () => {
    const id = await opened()
    const { statusAt } = await read(id)
    await provider.cancelAgreement(id, 'a reason')
    const ended = await read(id)
    await provider.cancelAgreement(id, 'a reason')
    expect(await read(id)).toEqual(ended)
    expect(ended.status).toBe('expired')
    expect(ended.statusAt > statusAt).toBe(true)
  })

  it('expires with its session after 24 hours', async () => {
    const id = await opened()
    double.model.advance(DAY)
    expect((await read(id)).status).toBe('expired')
    expect(await subjectsOf('checkout.session.expired')).toContainEqual({ kind: 'agreement', agreementId: id })
  })

  it('is cancelled without proration, once, also if the answer is lost', async () => {
    const id = await approved()
    const call = `DELETE /v1/subscriptions/${subscriptionOf(double, id)}`
    injectFault(call, 'done, then reset', 1)
    await provider.cancelAgreement(id, 'a reason')
    expect((await read(id)).status).toBe('cancelled')
    expect(called(call)[0]?.params.toString()).toContain('prorate=false&invoice_now=false')
  })

  it('refuses changes while it is open, and if it is unknown', async () => {
    await expect(provider.pauseAgreement(await opened(), 'a reason')).rejects.toThrow('no subscription yet')
    await expect(provider.cancelAgreement('cs_test_unknown', 'a reason')).rejects.toThrow(StripeRefusal)
  })
})

describe('a renewal that fails', () => {
  it('is reported with the page on which the bank lets the buyer complete it, until it is paid', async () => {
    const id = await approved()
    const subscription = subscriptionOf(double, id)
    double.model.advance(5 * DAY)
    double.model.events.length = 0
    double.model.failRenewal(subscription, 'action')
    const failedAt = at()
    const sent = await webhooks()
    for (const type of ['invoice.payment_failed', 'invoice.payment_action_required'])
      expect(sent).toContainEqual(
        expect.objectContaining({ type, subject: { kind: 'payment_failed', agreementId: subscription } }),
      )
    const failed = await read(id)
    expect(failed).toMatchObject({ status: 'active', failedAt })
    double.model.advance(4 * DAY)
    expect((await read(id)).failedAt).toBe(failedAt)
    expect((await fetch(failed.completionUrl ?? '', { method: 'POST' })).ok).toBe(true)
    expect(await read(id)).toMatchObject({ status: 'active', failedAt: null })
    expect((await read(id)).completionUrl).toBe(undefined)
    expect(await sales(id)).toHaveLength(2)
  })

  it('is reported as well if Stripe is set to leave the subscription unpaid', async () => {
    const id = await approved()
    const subscription = subscriptionOf(double, id)
    double.model.failRenewal(subscription)
    const failedAt = at()
    double.model.turn(subscription, { status: 'unpaid' })
    expect(await read(id)).toMatchObject({ status: 'suspended', failedAt, nextBillingAt: null })
    double.model.bill(subscription)
    expect(await read(id)).toMatchObject({ status: 'active', failedAt: null })
  })

  it('is cancelled after the last retry', async () => {
    const id = await approved()
    double.model.failRenewal(subscriptionOf(double, id))
    double.model.advance(14 * DAY)
    expect((await read(id)).status).toBe('active')
    double.model.advance(2 * DAY)
    expect(await read(id)).toMatchObject({ status: 'cancelled', failedAt: null })
  })

  it('is paid with the card that the buyer stores in the portal, not with that of the first payment', async () => {
    const id = await approved()
    double.model.failRenewal(subscriptionOf(double, id))
    const returnUrl = 'https://kinora.test/zh/account'
    const url = (await provider.paymentMethodUrl?.(id, returnUrl)) ?? expect.fail('there is no portal')
    const page = await (await fetch(url)).text()
    expect(page).toContain('更换付款方式')
    const answer = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ action: 'change' }),
      redirect: 'manual',
    })
    expect(answer.headers.get('location')).toBe(returnUrl)
    double.model.advance(4 * DAY)
    expect(await read(id)).toMatchObject({ status: 'active', failedAt: null })
    // What is over, or not begun, has no payment method.
    await provider.cancelAgreement(id, 'a reason')
    expect(await provider.paymentMethodUrl?.(id, returnUrl)).toBe(undefined)
    expect(await provider.paymentMethodUrl?.(await opened(), returnUrl)).toBe(undefined)
  })
})

describe('the sales of an agreement', () => {
  it('are named by their PaymentIntent, as refunds and disputes name them', async () => {
    const id = await approved()
    const [sale] = await sales(id)
    expect(sale).toMatchObject({ id: intentOf(double, id), agreementId: id, currency: 'USD', refunded: false })
  })

  it('are read in pages', async () => {
    const id = await approved()
    for (let month = 0; month < 120; month++) double.model.bill(subscriptionOf(double, id))
    const all = await sales(id)
    expect(new Set(all.map((sale) => sale.id)).size).toBe(121)
    const pages = called('GET /v1/invoices').map(({ params }) => params.has('starting_after'))
    expect(pages).toEqual([false, true])
  })

  it.each([
    ['a whole refund', true, (intent: string) => void double.model.refund(intent)],
    ['a partial refund', false, (intent: string) => void double.model.refund(intent, { amount: 100 })],
    ['a chargeback', true, (intent: string) => void double.model.dispute(intent)],
    ['a chargeback of a part', false, (intent: string) => void double.model.dispute(intent, { amount: 100 })],
    ['an inquiry', false, (intent: string) => void double.model.dispute(intent, { inquiry: true })],
    [
      'a dispute that was won',
      false,
      (intent: string) => double.model.closeDispute(double.model.dispute(intent).id, 'won'),
    ],
    ['a failed refund', false, (intent: string) => double.model.endRefund(double.model.refund(intent).id, 'failed')],
  ])('tell whether %s took all back: %j', async (_, refunded, take) => {
    const id = await approved()
    take(intentOf(double, id))
    expect(await sales(id)).toMatchObject([{ refunded }])
  })
})

describe("Stripe's fee", () => {
  it('is told once the charge is booked, in the currency of the sale', async () => {
    const id = await approved()
    const { id: orderId } = await bought()
    const fees = async () => [(await sales(id))[0]?.feeCents, (await provider.collectOrder(orderId))?.sale?.feeCents]
    expect(await fees()).toEqual([undefined, undefined])
    double.model.advance(60_000)
    // The order is in yuan, and its fee in dollars.
    expect(await fees()).toEqual([160, undefined])
    const dollars = await ordered({ currency: 'USD', amountCents: 499 })
    double.model.pay(dollars)
    double.model.advance(60_000)
    expect((await provider.collectOrder(dollars))?.sale).toMatchObject({ amountCents: 499, feeCents: 44 })
  })

  it('stays untold to a key that may not read the balance, which sees the sales', async () => {
    const id = await approved()
    const orderId = await ordered({ currency: 'USD', amountCents: 499 })
    double.model.pay(orderId)
    double.model.advance(60_000)
    double.model.readsBalance = false
    expect(await sales(id)).toMatchObject([{ amountCents: 4499, feeCents: undefined }])
    expect((await provider.collectOrder(orderId))?.sale).toMatchObject({ amountCents: 499, feeCents: undefined })
  })
})

describe('an order', () => {
  it.each(['alipay', 'wechat_pay'] as const)(
    'paid with %s in yuan is sold when it is paid, not when it is complete',
    async (method) => {
      const id = await ordered()
      double.model.pay(id, { method, outcome: 'later' })
      expect(double.model.find(id, 'checkout.session').status).toBe('complete')
      expect(await provider.collectOrder(id)).toEqual({ userId: 'user-1', sale: undefined })
      double.model.advance(60_000)
      double.model.settle(id)
      const sale = { id: intentOf(double, id), amountCents: 3500, currency: 'CNY', soldAt: at() }
      expect(await provider.collectOrder(id)).toEqual({ userId: 'user-1', sale })
      const subject = { kind: 'order', orderId: id }
      const sent = (await webhooks()).map((webhook) => [webhook.type, webhook.subject])
      expect(sent).toEqual([
        ['checkout.session.completed', subject],
        ['checkout.session.async_payment_succeeded', subject],
      ])
    },
  )

  it('whose payment fails later was never sold', async () => {
    const id = await ordered()
    double.model.pay(id, { method: 'alipay', outcome: 'later' })
    double.model.settle(id, false)
    expect(await provider.collectOrder(id)).toEqual({ userId: 'user-1', sale: undefined })
  })

  it('that is closed cannot be paid, and one that was paid stays paid', async () => {
    const id = await ordered()
    await provider.closeOrder(id)
    await provider.closeOrder(id)
    expect(() => double.model.pay(id)).toThrow('expired')
    const { id: other } = await bought()
    await provider.closeOrder(other)
    expect((await provider.collectOrder(other))?.sale).toBeDefined()
    await provider.closeOrder('cs_test_unknown')
  })

  it('is paid on a page in the language of the buyer, who is sent back with its id', async () => {
    const { orderId, paymentUrl = '' } = await provider.createOrder(order())
    expect(await (await fetch(paymentUrl)).text()).toMatch(/lang="zh-CN".*Kinora 300 积分 · CNY 35\.00.*微信支付/s)
    const post = (action: string) =>
      fetch(paymentUrl, {
        method: 'POST',
        body: new URLSearchParams({ action, method: 'wechat_pay' }),
        redirect: 'manual',
      })
    expect((await post('back')).headers.get('location')).toBe('https://kinora.test/zh/payment/cancel')
    expect(await (await post('declined')).text()).toContain('付款被拒绝')
    expect((await post('pay')).headers.get('location')).toBe(
      `https://kinora.test/zh/payment/success?provider=stripe&token=${orderId}`,
    )
    expect((await provider.collectOrder(orderId))?.sale?.amountCents).toBe(3500)
  })

  it('offers Alipay and WeChat Pay for packs only', async () => {
    const { approvalUrl = '' } = await provider.createAgreement(request({ language: 'en' }))
    const page = await (await fetch(approvalUrl)).text()
    expect(page).toMatch(/lang="en".*Kinora Pro · USD 44\.99/s)
    expect(page).not.toMatch(/alipay|wechat/i)
  })
})

describe('a refund', () => {
  const wanted = (saleId: string, change = {}) => ({
    ...{ saleId, refundId: `refund-${++count}`, amountCents: 500, currency: 'CNY', reason: 'a reason' },
    ...change,
  })

  it('is made once for each id, also after Stripe has forgotten the idempotency key', async () => {
    const { sale } = await bought()
    const one = wanted(sale)
    const first = await provider.refund(one)
    expect(first).toMatchObject({ saleId: sale, amountCents: 500, reversal: 'refund' })
    double.model.advance(2 * DAY)
    expect(await provider.refund(one)).toEqual(first)
    const made = double.model.all('refund').filter((each) => each.payment_intent === sale)
    expect(made).toHaveLength(1)
    expect((await provider.refund(wanted(sale)))?.reversalId).not.toBe(first?.reversalId)
    expect(called('POST /v1/refunds')[0]?.key).toBe(`refund ${one.refundId}`)
  })

  it('is unreported while it is pending, and reported when it succeeded', async () => {
    const { sale } = await bought()
    double.model.refundStatus = 'pending'
    const from = at()
    expect(await provider.refund(wanted(sale))).toBe(undefined)
    const [{ id } = expect.fail()] = double.model.all('refund')
    const hint = { saleId: sale, reversalId: id, reversal: 'refund' } as const
    expect(await provider.getReversal(hint)).toBe(undefined)
    expect(await provider.listReversals(from, at())).not.toContainEqual(expect.objectContaining(hint))
    expect(await subjectsOf('refund.created')).toEqual([{ kind: 'other' }])
    double.model.endRefund(id, 'succeeded')
    expect(await subjectsOf('refund.updated')).toEqual([{ kind: 'reversal', ...hint }])
    expect(await provider.getReversal(hint)).toEqual({ ...hint, amountCents: 500 })
  })

  it('that failed after it succeeded is reported as failed', async () => {
    const { sale } = await bought()
    const from = at()
    const { amountCents, ...hint } = (await provider.refund(wanted(sale))) ?? expect.fail()
    double.model.endRefund(hint.reversalId, 'failed')
    expect(await subjectsOf('refund.failed')).toEqual([{ kind: 'reversal', ...hint } as object])
    const failed = { ...hint, amountCents, failed: true }
    expect(await provider.getReversal(hint)).toEqual(failed)
    expect(await provider.listReversals(from, at())).toContainEqual(failed)
  })

  it('that failed at once throws, and throws when it is repeated', async () => {
    const { sale } = await bought()
    const one = wanted(sale)
    double.model.refundStatus = 'failed'
    await expect(provider.refund(one)).rejects.toThrow('is failed')
    await expect(provider.refund(one)).rejects.toThrow('is failed')
    expect(double.model.all('refund').filter((each) => each.payment_intent === sale)).toHaveLength(1)
  })

  it('of an unknown sale, or of more than was paid, throws', async () => {
    await expect(provider.refund(wanted('pi_unknown'))).rejects.toThrow(/resource_missing/)
    const { sale } = await bought()
    await expect(provider.refund(wanted(sale, { amountCents: 3501 }))).rejects.toThrow(StripeRefusal)
  })

  it('is found by the webhook of its charge, which does not name it', async () => {
    const { sale } = await bought()
    const first = await provider.refund(wanted(sale))
    const [subject] = await subjectsOf('charge.refunded')
    expect(subject).toMatchObject({ kind: 'reversal', saleId: sale, reversalId: expect.stringMatching(/^ch_/) })
    if (subject?.kind !== 'reversal') expect.fail()
    expect(await provider.getReversal(subject)).toEqual(first)
  })

  it('is not found by the id of another sale', async () => {
    const [one, other] = [await bought(), await bought()]
    const { reversalId } = (await provider.refund(wanted(one.sale))) ?? expect.fail()
    expect(await provider.getReversal({ saleId: other.sale, reversalId, reversal: 'refund' })).toBe(undefined)
  })

  it('is listed in pages, or not at all if the key may not read refunds', async () => {
    const from = at()
    const { sale } = await bought()
    for (let cents = 0; cents < 101; cents++) double.model.refund(sale, { amount: 1 })
    const listed = (await provider.listReversals(from, at())) ?? []
    expect(listed.filter(({ saleId }) => saleId === sale)).toHaveLength(101)
    injectFault('GET /v1/refunds', { status: 200, text: '{"data":[],"has_more":true}' })
    expect(await provider.listReversals(at(1_000), at(1_000))).toEqual([])
    injectFault('GET /v1/refunds', { status: 403 })
    expect(await provider.listReversals(from, at())).toBe(undefined)
  })
})

describe('a dispute', () => {
  it('takes the money when funds are withdrawn, by the id of the chargeback', async () => {
    const { sale } = await bought()
    const from = at()
    const { id } = double.model.dispute(sale, { amount: 2000 })
    const hint = { saleId: sale, reversalId: chargebackIdOf(sale), reversal: 'reversal' } as const
    const sent = (await webhooks()).map((webhook) => [webhook.type, webhook.subject])
    expect(sent.slice(-2)).toEqual([
      ['charge.dispute.created', { kind: 'dispute', disputeId: id }],
      ['charge.dispute.funds_withdrawn', { kind: 'reversal', ...hint }],
    ])
    const chargeback = { ...hint, amountCents: 2000 }
    expect(await provider.getReversal(hint)).toEqual(chargeback)
    expect(await provider.listReversals(from, at())).toContainEqual(chargeback)
  })

  it('that was won is not listed, because a lost webhook of its end would leave the claim', async () => {
    const { sale } = await bought()
    const from = at()
    double.model.closeDispute(double.model.dispute(sale).id, 'won')
    const listed = (await provider.listReversals(from, at())) ?? expect.fail()
    expect(listed.filter(({ saleId }) => saleId === sale)).toEqual([])
  })

  it('that is an inquiry takes nothing', async () => {
    const { sale } = await bought()
    const from = at()
    const { id } = double.model.dispute(sale, { inquiry: true })
    const hint = { saleId: sale, reversalId: chargebackIdOf(sale), reversal: 'reversal' } as const
    expect(await provider.getReversal(hint)).toBe(undefined)
    expect(await provider.listReversals(from, at())).not.toContainEqual(expect.objectContaining(hint))
    double.model.closeDispute(id, 'warning_closed')
    expect(await provider.getDispute(id)).toMatchObject({ outcome: 'won' })
  })

  it.each([
    ['won', 'won'],
    ['lost', 'lost'],
    ['prevented', 'won'],
    ['under_review', 'open'],
    ['appeal_under_review', 'open'],
    ['of_the_future', 'open'],
  ])('that is %s is %s, since a time that increases when it ends', async (status, outcome) => {
    const { sale } = await bought()
    const { id } = double.model.dispute(sale)
    const opened = await provider.getDispute(id)
    expect(opened).toEqual({ saleIds: [sale], outcome: 'open', statusAt: at() })
    double.model.advance(DAY)
    double.model.closeDispute(id, status)
    const closed = await provider.getDispute(id)
    expect(closed).toMatchObject({ saleIds: [sale], outcome })
    expect((closed?.statusAt ?? '') > (opened?.statusAt ?? '')).toBe(outcome !== 'open')
    expect(await provider.getDispute(id)).toEqual(closed)
  })

  it('that is lost after it was won has a later time', async () => {
    const { sale } = await bought()
    const { id } = double.model.dispute(sale)
    double.model.closeDispute(id, 'won')
    const won = await provider.getDispute(id)
    double.model.advance(DAY)
    double.model.moveFunds(id, 'withdrawn')
    double.model.closeDispute(id, 'lost')
    const lost = await provider.getDispute(id)
    expect([won?.outcome, lost?.outcome]).toEqual(['won', 'lost'])
    expect((lost?.statusAt ?? '') > (won?.statusAt ?? '')).toBe(true)
  })

  it('can be prevented while its fraud warning is actionable', async () => {
    const { sale } = await bought()
    const warning = double.model.warn(sale)
    expect(await subjectsOf('radar.early_fraud_warning.created')).toEqual([
      { kind: 'fraud_warning', warningId: warning.id },
    ])
    expect(await provider.getFraudWarning?.(warning.id)).toEqual({ saleId: sale })
    warning.actionable = false
    expect(await provider.getFraudWarning?.(warning.id)).toBe(undefined)
    expect(await provider.getFraudWarning?.('issfr_unknown')).toBe(undefined)
  })
})

describe('the double', () => {
  it('sends webhooks to an address, and those again that were not answered with success', async () => {
    const types: string[] = []
    let status = 500
    const server = createServer(async (incoming, response) => {
      const body = await buffer(incoming)
      const headers = incoming.headers as Record<string, string>
      types.push((await adapterOf(own).verifyWebhook(headers, body))?.type ?? 'refused')
      response.writeHead(status).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const webhooks = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const own = await startStripeDouble({ webhooks, clock: Date.now })
    const { paymentUrl = '' } = await adapterOf(own).createOrder(order())
    await fetch(paymentUrl, {
      method: 'POST',
      body: new URLSearchParams({ action: 'pay', method: 'alipay' }),
      redirect: 'manual',
    })
    expect(types).toEqual(['checkout.session.completed'])
    status = 200
    await own.deliver()
    await own.deliver()
    expect(types).toEqual(['checkout.session.completed', 'checkout.session.completed'])
    await own.close()
    server.close()
  })
})
