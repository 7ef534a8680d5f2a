import { describe, expect, it } from 'vitest'
import { PaymentModel } from '#proof/money/paymentModel.ts'
import {
  chargebackIdOf,
  PaymentProviderDown,
  type SignedWebhook,
  tillOf,
  type WebhookSubject,
} from './paymentProvider.port.ts'
import { createTills } from './tills.ts'

const NOW = Date.UTC(2026, 0, 31)
const PLAN = { requestId: 'r', userId: 'ada', tier: 'pro', startsAt: null, language: 'en' } as const
const ORDER = {
  requestId: 'r',
  userId: 'ada',
  credits: 300,
  amountCents: 499,
  currency: 'USD',
  language: 'en',
} as const
const PAGES = {
  returnUrl: 'https://kinora.test/payment/success?of=pack',
  cancelUrl: 'https://kinora.test/payment/cancel',
}

describe('tills', () => {
  it('keep the ids of PayPal, and prefix those of others with their name', async () => {
    const model = new PaymentModel(() => NOW)
    const tills = model.tills('stripe', 'paypal')
    const ids = [
      (await tills.createAgreement('paypal', { ...PLAN, ...PAGES })).agreementId,
      (await tills.createAgreement('stripe', { ...PLAN, ...PAGES })).agreementId,
      (await tills.createOrder('stripe', { ...ORDER, ...PAGES })).orderId,
    ]
    expect(ids).toEqual(['I-1', 'stripe:I-2', 'stripe:O-3'])
    expect(ids.map(tillOf)).toEqual(['paypal', 'stripe', 'stripe'])
    expect(ids.map(tills.reaches)).toEqual([true, true, true])
  })

  it('ask the provider of each agreement, order and sale, and no other', async () => {
    const model = new PaymentModel(() => NOW)
    const tills = model.tills('stripe', 'paypal')
    const { agreementId } = await tills.createAgreement('stripe', { ...PLAN, ...PAGES })
    model.approve(agreementId)
    expect(await tills.getAgreement(agreementId)).toMatchObject({ id: agreementId, status: 'active' })
    const at = new Date(NOW).toISOString()
    const [sale] = await tills.listSales(agreementId, at, at)
    expect(sale).toMatchObject({ id: `stripe:S-I-1-0`, agreementId })
    const { id: saleId, currency } = sale!
    const refund = await tills.refund({ saleId, refundId: 'one', amountCents: 100, currency, reason: '' })
    expect(refund?.saleId).toBe(saleId)
    expect(await tills.getReversal(refund!)).toEqual(refund)
    expect(await tills.listReversals(at, at)).toEqual({ reversals: [refund], refusedBy: [], failures: [] })
    await tills.cancelAgreement(agreementId, 'a reason')
    expect(model.accounts.get(agreementId)?.status).toBe('cancelled')
    expect(await tills.getAgreement('I-1')).toBe(undefined)
  })

  it('leave what belongs to a provider that is not set up as it is', async () => {
    const model = new PaymentModel(() => NOW)
    const { agreementId } = await model.tills('stripe').createAgreement('stripe', { ...PLAN, ...PAGES })
    model.approve(agreementId)
    const tills = model.tills('paypal')
    expect(tills.reaches(agreementId)).toBe(false)
    expect(await tills.getAgreement(agreementId)).toBe(undefined)
    await expect(tills.cancelAgreement(agreementId, 'a reason')).rejects.toThrow(PaymentProviderDown)
    await expect(tills.createOrder('stripe', { ...ORDER, ...PAGES })).rejects.toThrow(PaymentProviderDown)
    expect(createTills([]).reaches('I-1')).toBe(false)
  })

  it('tell the page to which the buyer returns whose ids it is given', async () => {
    const pages: string[] = []
    const model = new PaymentModel(() => NOW)
    const createOrder = model.createOrder.bind(model)
    model.createOrder = async (order, prefix) => {
      pages.push((order as typeof order & typeof PAGES).returnUrl)
      return createOrder(order, prefix)
    }
    const tills = model.tills('stripe', 'paypal')
    for (const name of ['paypal', 'stripe']) await tills.createOrder(name, { ...ORDER, ...PAGES })
    expect(pages).toEqual([PAGES.returnUrl, `${PAGES.returnUrl}&provider=stripe`])
  })

  it.each<[WebhookSubject, WebhookSubject]>([
    [
      { kind: 'agreement', agreementId: 'a' },
      { kind: 'agreement', agreementId: 'stripe:a' },
    ],
    [
      { kind: 'payment_failed', agreementId: 'a' },
      { kind: 'payment_failed', agreementId: 'stripe:a' },
    ],
    [
      { kind: 'order', orderId: 'o' },
      { kind: 'order', orderId: 'stripe:o' },
    ],
    [
      { kind: 'sale', sale: { id: 's', agreementId: 'a' } },
      { kind: 'sale', sale: { id: 'stripe:s', agreementId: 'stripe:a' } },
    ],
    [
      { kind: 'reversal', saleId: 's', reversalId: chargebackIdOf('s'), reversal: 'reversal' },
      { kind: 'reversal', saleId: 'stripe:s', reversalId: chargebackIdOf('stripe:s'), reversal: 'reversal' },
    ],
    [
      { kind: 'dispute', disputeId: 'd' },
      { kind: 'dispute', disputeId: 'stripe:d' },
    ],
    [
      { kind: 'fraud_warning', warningId: 'w' },
      { kind: 'fraud_warning', warningId: 'stripe:w' },
    ],
    [{ kind: 'other' }, { kind: 'other' }],
  ])('prefix the ids of the webhook %j', async (subject, expected) => {
    const webhook: SignedWebhook = { id: 'e', type: 't', objectId: 'x', transmissionId: 'n', subject }
    const till = { name: 'stripe', currencies: [], verifyWebhook: async () => webhook }
    const [{ address, verify } = expect.fail()] = createTills([till as never]).webhooks
    expect(address).toBe('stripe')
    expect(await verify({}, Buffer.of())).toEqual({
      ...{ id: 'stripe:e', type: 't', objectId: 'stripe:x', transmissionId: 'stripe:n', subject: expected },
    })
  })
})
