import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type NewAgreement, PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'
import { paymentProviderContract, REDELIVERED } from '../testing/paymentProviderContract.ts'
import { createPaypal, type PaypalOptions } from './paypal.ts'
import { type PaypalAccess, PaypalRefusal } from './paypalApi.ts'
import {
  DOUBLE_CLIENT,
  DOUBLE_WEBHOOK_ID,
  type Fault,
  type PaypalDouble,
  startPaypalDouble,
} from './testing/paypalDouble.ts'
import { MODEL_PLANS } from './testing/paypalModel.ts'

/** Far beyond what a busy machine needs. Tests of calls that hang set their own. */
const FAST = { timeoutMs: 60_000, pauseMs: 5 }
const paceOf = (fault: Fault) => (String(fault).endsWith('hang') ? { ...FAST, timeoutMs: 2_000 } : FAST)
let double: PaypalDouble

const adapter = (of: PaypalDouble, change: Partial<PaypalOptions> = {}) =>
  createPaypal({
    ...DOUBLE_CLIENT,
    baseUrl: of.url,
    webhookId: DOUBLE_WEBHOOK_ID,
    plans: MODEL_PLANS,
    pace: FAST,
    certificates: { source: of.certificateSource, roots: of.roots },
    now: () => of.model.now,
    ...change,
  })

paymentProviderContract('PayPal (its double)', async () => {
  const own = await startPaypalDouble()
  const { model } = own
  return {
    provider: adapter(own),
    now: () => model.now,
    advance: (ms) => {
      model.now += ms
    },
    approve: async (id) => model.approve(id),
    bill: async (id) => void model.bill(id),
    failPayment: async (id) => model.failPayment(id),
    refund: async (id) => void model.refund(id),
    payOrder: async (id) => model.approveOrder(id),
    refundOrder: async (id) => model.takeBack(id, 'refund'),
    failRefund: async ({ reversalId }) => model.failRefund(reversalId),
    ages: REDELIVERED,
    webhooks: async () => model.events.splice(0).map((event) => own.sign(event)),
    close: own.close,
  }
})

const REQUEST: NewAgreement = {
  requestId: 'request-1',
  userId: 'user-1',
  tier: 'pro',
  startsAt: null,
  language: 'zh',
  returnUrl: 'https://kinora.test/zh/payment/success',
  cancelUrl: 'https://kinora.test/zh/payment/cancel',
}
const SUBSCRIPTIONS = '/v1/billing/subscriptions'
const OPEN = `POST ${SUBSCRIPTIONS}`

beforeAll(async () => {
  double = await startPaypalDouble()
})
afterAll(() => double.close())
beforeEach(() => {
  double.fault = () => undefined
  double.calls.length = 0
  double.tokenSeconds = 32_400
})

const called = (call: string) => double.calls.filter((each) => each.call === call)
/** Injects a fault into the first calls of a kind, by default into all. */
const injectFault = (call: string, fault: Fault, times = Number.POSITIVE_INFINITY) => {
  let left = times
  double.fault = (each) => (each === call && left-- > 0 ? fault : undefined)
}

describe('requests to PayPal', () => {
  it('create an agreement with plan, user, language and start date', async () => {
    const startsAt = '2026-02-28T12:00:00.000Z'
    await adapter(double).createAgreement({ ...REQUEST, requestId: 'request-body', startsAt })
    const [{ requestId, body } = expect.fail()] = called(OPEN)
    expect(requestId).toBe('request-body')
    expect(JSON.parse(body)).toEqual({
      plan_id: 'P-PRO',
      custom_id: 'user-1',
      start_time: startsAt,
      application_context: {
        brand_name: 'Kinora',
        locale: 'zh-CN',
        shipping_preference: 'NO_SHIPPING',
        user_action: 'SUBSCRIBE_NOW',
        return_url: REQUEST.returnUrl,
        cancel_url: REQUEST.cancelUrl,
      },
    })
  })

  it('share an access token and renew it when it expires or is revoked', async () => {
    const tokens = () => called('POST /v1/oauth2/token').length
    const provider = adapter(double)
    await Promise.all([1, 2, 3].map(() => provider.getAgreement('I-UNKNOWN')))
    expect(tokens()).toBe(1)
    double.revokeTokens()
    expect(await provider.getAgreement('I-UNKNOWN')).toBe(undefined)
    expect(tokens()).toBe(2)
    double.tokenSeconds = 0
    const hasty = adapter(double)
    await hasty.getAgreement('I-UNKNOWN')
    await hasty.getAgreement('I-UNKNOWN')
    expect(tokens()).toBe(4)
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
  ])('is retried once after %j and creates one agreement', async (fault) => {
    injectFault(OPEN, fault, 1)
    const before = double.model.subscriptions.size
    const { approvalUrl } = await adapter(double, { pace: paceOf(fault) }).createAgreement({
      ...REQUEST,
      requestId: JSON.stringify(fault).slice(0, 38),
    })
    expect(approvalUrl).toMatch(/^https:\/\/www\.sandbox\.paypal\.com\//)
    expect([called(OPEN).length, double.model.subscriptions.size - before]).toEqual([2, 1])
  })

  it.each<[Fault, number]>([
    ['hang', 2],
    ['reset', 2],
    [{ status: 500 }, 2],
    [{ status: 429 }, 1],
    [{ status: 200, text: '<html>not JSON' }, 1],
    [{ status: 200, text: '{"id":7}' }, 1],
  ])('throws PaymentProviderDown on a permanent %j, after %i calls', async (fault, calls) => {
    injectFault(OPEN, fault)
    const provider = adapter(double, { pace: paceOf(fault) })
    await expect(provider.createAgreement(REQUEST)).rejects.toThrow(PaymentProviderDown)
    expect(called(OPEN)).toHaveLength(calls)
  })

  it('throws PaymentProviderDown from every method when PayPal is unreachable', async () => {
    const provider = adapter(double, { baseUrl: 'http://127.0.0.1:1' })
    const calls = [
      provider.createAgreement(REQUEST),
      provider.getAgreement('I-1'),
      provider.listSales('I-1', REQUEST.requestId, ''),
      provider.pauseAgreement('I-1', 'a'),
      provider.resumeAgreement('I-1', 'a'),
      provider.cancelAgreement('I-1', 'a'),
    ]
    for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[])
      expect(reason).toBeInstanceOf(PaymentProviderDown)
  })

  it.each<[string, Fault, RegExp]>([
    ['400', { status: 400 }, /HTTP 400 INVALID_REQUEST/],
    ['403', { status: 403 }, /HTTP 403 NOT_AUTHORIZED .*b1d1f06c7246c/],
    ['422', { status: 422 }, /HTTP 422 UNPROCESSABLE_ENTITY/],
    ['404 with an empty body', { status: 404, text: '' }, /HTTP 404/],
  ])('throws PaypalRefusal without a retry: %s', async (_, fault, message) => {
    injectFault(OPEN, fault)
    const error = await adapter(double)
      .createAgreement(REQUEST)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PaypalRefusal)
    expect((error as Error).message).toMatch(message)
    expect(called(OPEN)).toHaveLength(1)
  })

  it('names the issue of an unknown plan and of an impossible change', async () => {
    const provider = adapter(double, { plans: { ...MODEL_PLANS, pro: 'P-GONE' } })
    await expect(provider.createAgreement({ ...REQUEST, requestId: 'gone' })).rejects.toThrow('404 INVALID_RESOURCE_ID')
    await expect(provider.cancelAgreement('I-UNKNOWN', 'a reason')).rejects.toThrow('404 INVALID_RESOURCE_ID')
    const { agreementId } = await adapter(double).createAgreement({ ...REQUEST, requestId: 'waiting' })
    await expect(provider.resumeAgreement(agreementId, 'a reason')).rejects.toThrow('422 SUBSCRIPTION_STATUS_INVALID')
  })

  it('never reveals the client secret in errors', async () => {
    const access: PaypalAccess = { ...DOUBLE_CLIENT, clientSecret: 'another-secret', baseUrl: double.url }
    const error = await adapter(double, access)
      .getAgreement('I-1')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'PaypalRefusal', status: 401, issue: 'invalid_client' })
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack])).not.toContain('another-secret')
  })
})

describe('a PayPal subscription', () => {
  const read = async (change: object) => {
    const { agreementId } = await adapter(double).createAgreement({
      ...REQUEST,
      requestId: JSON.stringify(change).slice(0, 100),
    })
    Object.assign(double.model.of(agreementId), change)
    return adapter(double).getAgreement(agreementId)
  }
  const times = { status_update_time: '2026-02-01T00:00:00+08:00' }
  const cycles = (tenure_type: string, cycles_completed: number) => ({
    billing_info: { cycle_executions: [{ tenure_type, sequence: 1, cycles_completed, total_cycles: 2 }] },
  })
  it.each([
    [
      { status: 'APPROVED', ...times },
      { status: 'pending', statusAt: '2026-01-31T16:00:00.000Z' },
    ],
    [{ status: 'EXPIRED' }, { status: 'expired' }],
    [
      { status: 'ACTIVE', ...cycles('TRIAL', 1) },
      { status: 'active', trial: true },
    ],
    [{ status: 'ACTIVE', ...cycles('TRIAL', 2) }, { trial: false }],
    [{ status: 'ACTIVE', ...cycles('REGULAR', 1) }, { trial: false }],
    [{ custom_id: undefined }, { userId: undefined }],
    [
      { billing_info: { failed_payments_count: 0, last_failed_payment: { time: '2026-02-01T00:00:00Z' } } },
      { failedAt: null },
    ],
  ])('%j maps to %j', async (wire, expected) => {
    expect(await read(wire)).toMatchObject(expected)
  })

  it('lists completed payments as sales, also if they were refunded', async () => {
    const { agreementId } = await adapter(double).createAgreement({ ...REQUEST, requestId: 'transactions' })
    const { transactions } = double.model.of(agreementId)
    const rows = [
      ['COMPLETED', '44.99'],
      ['DECLINED', '44.99'],
      ['PENDING', '44.99'],
      ['REFUNDED', '44.99'],
      ['PARTIALLY_REFUNDED', '44.99'],
      ['COMPLETED', '-44.99'],
      ['COMPLETED', '44.999'],
    ] as const
    for (const [index, [status, value]] of rows.entries()) {
      const gross_amount = { currency_code: 'USD', value }
      transactions.push({
        id: `T${index}`,
        status,
        time: '2026-01-31T12:00:00Z',
        amount_with_breakdown: { gross_amount },
      })
    }
    const sales = await adapter(double).listSales(agreementId, '2026-01-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z')
    const sale = { agreementId, amountCents: 4499, currency: 'USD', soldAt: '2026-01-31T12:00:00.000Z' }
    expect(sales).toEqual([
      { ...sale, id: 'T0', refunded: false },
      { ...sale, id: 'T3', refunded: true },
      { ...sale, id: 'T4', refunded: false },
      { ...sale, id: 'T6', refunded: false, amountCents: undefined },
    ])
  })
})

it('tells the fee of a sale and of an order, in the currency of the sale', async () => {
  const paypal = adapter(double)
  const { agreementId } = await paypal.createAgreement({ ...REQUEST, requestId: 'fees' })
  double.model.approve(agreementId)
  const transactions = double.model.of(agreementId).transactions
  const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z']
  const fees = async () => (await paypal.listSales(agreementId, from, to)).map(({ feeCents }) => feeCents)
  expect(await fees()).toEqual([206])
  const gross_amount = { currency_code: 'USD', value: '44.99' }
  for (const [currency_code, value] of [
    ['USD', '-2.06'],
    ['EUR', '1.90'],
    ['USD', '0.00'],
  ] as const)
    transactions.push({
      ...transactions[0]!,
      id: `${currency_code} ${value}`,
      amount_with_breakdown: { gross_amount, fee_amount: { currency_code, value } },
    })
  // The sign differs among PayPal's answers.
  expect(await fees()).toEqual([206, 206, undefined, 0])
  const { id } = double.model.order({ custom_id: 'user', amount: { currency_code: 'USD', value: '25.00' } })
  double.model.approveOrder(id)
  expect((await paypal.collectOrder(id))?.sale).toMatchObject({ amountCents: 2500, feeCents: 136 })
})

it('takes no money for an order of another shop, which names no user', async () => {
  const amount = { currency_code: 'USD', value: '25.00' }
  const { id } = double.model.order({ amount })
  double.model.approveOrder(id)
  const order = await adapter(double).collectOrder(id, () => expect.fail())
  expect(order).toEqual({ userId: undefined, sale: undefined })
  expect(double.model.orders.get(id)?.status).toBe('APPROVED')
})

describe('the list of reversals', () => {
  const FROM = '2026-01-01T00:00:00.000Z'

  it('is read in periods of 31 days and in pages', async () => {
    const own = await startPaypalDouble()
    const { model } = own
    const report = (index: number) => ({
      transaction_id: `R${index}`,
      paypal_reference_id: `S${index}`,
      transaction_event_code: 'T1107' as const,
      transaction_initiation_date: new Date(Date.parse(FROM) + (index + 0.5) * 3_600_000).toISOString(),
      transaction_status: 'S' as const,
      transaction_amount: { currency_code: 'USD', value: '-5.00' },
    })
    model.reports.push(...Array.from({ length: 1_201 }, (_, index) => report(index)))
    const reversals = await adapter(own).listReversals(FROM, '2026-03-05T00:00:00.000Z')
    expect(reversals?.map(({ reversalId }) => reversalId)).toEqual(model.reports.map((each) => each.transaction_id))
    expect(reversals?.[7]).toEqual({ saleId: 'S7', reversalId: 'R7', amountCents: 500, reversal: 'refund' })
    await own.close()
  })

  it('has chargebacks with the id of their webhook, and only completed transactions', async () => {
    const own = await startPaypalDouble()
    const { agreementId } = await adapter(own).createAgreement(REQUEST)
    own.model.approve(agreementId)
    own.model.refund(agreementId, 10)
    own.model.reports[0]!.transaction_status = 'P'
    own.model.reverse(agreementId)
    const saleId = own.model.of(agreementId).transactions[0]!.id
    const reversals = await adapter(own).listReversals(FROM, new Date(own.model.now).toISOString())
    expect(reversals).toEqual([{ saleId, reversalId: `${saleId} reversed`, amountCents: 4499, reversal: 'reversal' }])
    await own.close()
  })

  it('is undefined if the app may not search transactions', async () => {
    const own = await startPaypalDouble()
    own.model.mayReport = false
    expect(await adapter(own).listReversals(FROM, '2026-01-02T00:00:00.000Z')).toBe(undefined)
    await own.close()
  })
})
