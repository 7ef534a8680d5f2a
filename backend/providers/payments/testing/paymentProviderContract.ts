import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { monthsAfter } from '#backend/kernel/time.ts'
import {
  chargebackIdOf,
  type NewAgreement,
  type NewOrder,
  type NewRefund,
  type PaymentProvider,
  type PaymentWebhook,
  type ProviderReversal,
  type WebhookSubject,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'

/** A provider under test, with the actions of the buyer and of the provider. */
export interface PaymentWorld {
  readonly provider: PaymentProvider
  /** The provider's time in epoch milliseconds. */
  now(): number
  advance(ms: number): void
  approve(agreementId: string): Promise<void>
  /** Bills the agreement for one month. */
  bill(agreementId: string): Promise<void>
  failPayment(agreementId: string): Promise<void>
  /** Refunds the last sale in full. */
  refund(agreementId: string): Promise<void>
  /** Whether the approval of an order already moves its money. */
  readonly collectsItself?: boolean
  /** The buyer approves the payment of an order. */
  payOrder(orderId: string): Promise<void>
  /** Refunds the payment of an order in full. */
  refundOrder(orderId: string): Promise<void>
  /** Lets a refund fail after it was completed. */
  failRefund(refund: ProviderReversal): Promise<void>
  /** Ages of webhooks that are accepted and, after them, refused, in milliseconds. Negative ages are of the future. */
  readonly ages: { readonly accepted: readonly number[]; readonly refused: readonly number[] }
  /** Returns the signed webhooks sent since the last call. */
  webhooks(): Promise<{ headers: Record<string, string>; body: Buffer }[]>
  close(): Promise<void>
}

const SECOND = 1_000
const HOUR = 3_600 * SECOND

/** Ages of webhooks whose provider repeats the same transmission for three days. */
export const REDELIVERED = { accepted: [0, 72 * HOUR], refused: [-HOUR, 97 * HOUR] }

const USER = '01900000-0000-7000-8000-000000000001'
const OTHER_USER = '01900000-0000-7000-8000-000000000002'
let count = 0

const request = (change: Partial<NewAgreement> = {}): NewAgreement => ({
  requestId: `contract-${++count}`,
  userId: USER,
  tier: 'standard',
  startsAt: null,
  language: 'en',
  returnUrl: 'https://kinora.test/payment/success',
  cancelUrl: 'https://kinora.test/payment/cancel',
  ...change,
})

/** Tests that every {@link PaymentProvider} must pass. */
export function paymentProviderContract(name: string, start: () => Promise<PaymentWorld>): void {
  describe(`${name} as a payment provider`, () => {
    let world: PaymentWorld
    let provider: PaymentProvider
    beforeAll(async () => {
      world = await start()
      provider = world.provider
    })
    afterAll(() => world.close())

    const at = () => new Date(world.now()).toISOString()
    const opened = async (change?: Partial<NewAgreement>) =>
      (await provider.createAgreement(request(change))).agreementId
    const running = async (change?: Partial<NewAgreement>) => {
      const id = await opened(change)
      await world.approve(id)
      world.advance(SECOND)
      return id
    }
    const read = async (id: string) => (await provider.getAgreement(id)) ?? expect.fail(`agreement ${id} is unknown`)
    const sold = (id: string) => provider.listSales(id, new Date(0).toISOString(), at())
    /** Returns a subject with the agreement's own id: webhooks may name another one. */
    const known = async (subject: WebhookSubject): Promise<WebhookSubject> => {
      if (subject.kind !== 'agreement' && subject.kind !== 'payment_failed') return subject
      const { id } = (await provider.getAgreement(subject.agreementId)) ?? { id: subject.agreementId }
      return { ...subject, agreementId: id }
    }
    const webhooksOf = async (id: string): Promise<PaymentWebhook[]> => {
      const found: PaymentWebhook[] = []
      for (const { headers, body } of await world.webhooks()) {
        const webhook =
          (await provider.verifyWebhook(headers, body)) ?? expect.fail('the provider rejected its own webhook')
        const subject = await known(webhook.subject)
        if (JSON.stringify(subject).includes(id)) found.push({ ...webhook, subject })
      }
      return found
    }

    it('creates one pending agreement per request id', async () => {
      const one = request({ userId: OTHER_USER, language: 'zh' })
      const [first, again, other] = [
        await provider.createAgreement(one),
        await provider.createAgreement(one),
        await opened(),
      ]
      expect(first.approvalUrl).toMatch(/^https?:\/\//)
      expect(again).toEqual(first)
      expect(other).not.toBe(first.agreementId)
      const nothingYet = { nextBillingAt: null, trial: false, failedAt: null }
      expect(await read(first.agreementId)).toEqual({
        id: first.agreementId,
        userId: OTHER_USER,
        status: 'pending',
        statusAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        ...nothingYet,
      })
      expect(await sold(first.agreementId)).toEqual([])
    })

    it('returns undefined for an unknown agreement', async () => {
      expect(await provider.getAgreement('I-UNKNOWN')).toBe(undefined)
    })

    it('bills an approved agreement monthly for the price of its plan', async () => {
      const id = await opened({ tier: 'pro' })
      await world.approve(id)
      const agreed = at()
      expect(await read(id)).toMatchObject({ status: 'active', failedAt: null })
      const [first] = await sold(id)
      expect(first).toMatchObject({ agreementId: id, amountCents: PLANS.pro.priceCents, currency: 'USD' })
      expect((await read(id)).nextBillingAt).toBe(monthsAfter(first!.soldAt, 1))
      world.advance(31 * 24 * 3600 * SECOND)
      await world.bill(id)
      const sales = await sold(id)
      expect(sales.length).toBeGreaterThanOrEqual(2)
      expect(new Set(sales.map((sale) => sale.id)).size).toBe(sales.length)
      expect(sales.map(({ soldAt }) => soldAt)).toEqual(sales.map(({ soldAt }) => soldAt).toSorted())
      const later = new Date(Date.parse(agreed) + SECOND).toISOString()
      expect(await provider.listSales(id, later, at())).toEqual(sales.slice(1))
    })

    it('does not bill an agreement before it starts', async () => {
      const startsAt = new Date(Math.ceil(world.now() / SECOND) * SECOND + 10 * 24 * 3600 * SECOND).toISOString()
      const id = await running({ startsAt })
      expect(await read(id)).toMatchObject({ status: 'active', nextBillingAt: startsAt })
      expect(await sold(id)).toEqual([])
    })

    it('pauses, resumes and cancels idempotently', async () => {
      const id = await running()
      const twice = async (change: () => Promise<void>) => {
        await change()
        const { status, statusAt } = await read(id)
        world.advance(SECOND)
        await change()
        expect(await read(id)).toMatchObject({ status, statusAt })
        return { status, statusAt }
      }
      const paused = await twice(() => provider.pauseAgreement(id, 'a reason'))
      const resumed = await twice(() => provider.resumeAgreement(id, 'a reason'))
      await provider.pauseAgreement(id, 'a reason')
      world.advance(SECOND)
      const cancelled = await twice(() => provider.cancelAgreement(id, 'a reason'))
      expect([paused.status, resumed.status, cancelled.status]).toEqual(['suspended', 'active', 'cancelled'])
      expect(resumed.statusAt > paused.statusAt && cancelled.statusAt > resumed.statusAt).toBe(true)
      // Cancellation is final: later calls have no effect, whether they throw or not.
      await provider.resumeAgreement(id, 'a reason').catch(() => {})
      await provider.pauseAgreement(id, 'a reason').catch(() => {})
      expect(await read(id)).toMatchObject({ status: 'cancelled', nextBillingAt: null })
    })

    it('reports a failed payment until a payment succeeds', async () => {
      const id = await running()
      await world.failPayment(id)
      const { failedAt } = await read(id)
      expect(Math.abs(Date.parse(failedAt ?? '') - world.now())).toBeLessThan(SECOND)
      world.advance(SECOND)
      await world.bill(id)
      expect((await read(id)).failedAt).toBe(null)
    })

    it('sends webhooks that match the state of the agreement', async () => {
      await world.webhooks()
      const id = await running()
      const [sale = expect.fail('nothing was sold')] = await sold(id)
      const first = await webhooksOf(id)
      expect(first.map(({ subject }) => subject)).toContainEqual({ kind: 'agreement', agreementId: id })
      await world.failPayment(id)
      const failed = await webhooksOf(id)
      // The status of the agreement can change as well.
      const failures = failed.map(({ subject }) => subject).filter(({ kind }) => kind !== 'agreement')
      expect(failures).toEqual([{ kind: 'payment_failed', agreementId: id }])
      await world.refund(id)
      const reversed = await webhooksOf(sale.id)
      const subject = { kind: 'reversal', saleId: sale.id, reversal: 'refund' }
      expect(reversed).toEqual([expect.objectContaining({ subject: expect.objectContaining(subject) })])
      const ids = [...first, ...failed, ...reversed].map((webhook) => webhook.id)
      expect(new Set(ids).size).toBe(ids.length)
    })

    it('lists refunds with the ids of their webhooks, and the sales that were refunded', async () => {
      const id = await running()
      await world.webhooks()
      const from = at()
      const [sale] = await sold(id)
      expect(await provider.listReversals(from, at())).toEqual([])
      world.advance(SECOND)
      await world.refund(id)
      const [webhook] = await webhooksOf(sale!.id)
      const [reversal] = (await provider.listReversals(from, at())) ?? []
      const { amountCents, ...hint } = reversal ?? expect.fail('nothing is listed')
      expect(webhook?.subject).toEqual({ kind: 'reversal', ...hint })
      expect(amountCents).toBe(sale!.amountCents)
      expect(await provider.getReversal(hint)).toEqual(reversal)
      expect(await sold(id)).toEqual([{ ...sale, refunded: true }])
    })

    const refundOf = (sale: { id: string; currency: string }, amountCents: number): NewRefund => ({
      ...{ saleId: sale.id, currency: sale.currency, amountCents, refundId: `refund-${++count}` },
      reason: 'The plan was cancelled.',
    })

    it('refunds a sale in parts, each once, and no more than was paid', async () => {
      const id = await running()
      const from = at()
      const [{ amountCents, ...sale } = expect.fail('nothing was sold')] = await sold(id)
      const [part, rest] = [refundOf(sale, 100), refundOf(sale, amountCents! - 100)]
      const first = await provider.refund(part)
      expect(first).toMatchObject({ saleId: sale.id, amountCents: 100, reversal: 'refund' })
      expect(await provider.refund(part)).toEqual(first)
      expect(await sold(id)).toMatchObject([{ id: sale.id, refunded: false }])
      expect(await provider.refund(rest)).toMatchObject({ amountCents: amountCents! - 100 })
      world.advance(SECOND)
      const listed = (await provider.listReversals(from, at())) ?? []
      expect(listed.filter(({ saleId }) => saleId === sale.id)).toHaveLength(2)
      const { amountCents: _, ...hint } = first!
      expect(await provider.getReversal(hint)).toEqual(first)
      expect(await sold(id)).toMatchObject([{ id: sale.id, refunded: true }])
      await expect(provider.refund(refundOf(sale, 1))).rejects.toThrow()
      await expect(provider.refund(refundOf({ ...sale, id: 'UNKNOWN' }, 1))).rejects.toThrow()
    })

    it('tells of a refund that fails after it was completed', async () => {
      const id = await running()
      const from = at()
      const [{ amountCents, ...sale } = expect.fail('nothing was sold')] = await sold(id)
      const refund = (await provider.refund(refundOf(sale, amountCents!))) ?? expect.fail('the refund is pending')
      await world.webhooks()
      world.advance(SECOND)
      await world.failRefund(refund)
      const { amountCents: _, ...hint } = refund
      expect((await webhooksOf(sale.id)).map(({ subject }) => subject)).toEqual([{ kind: 'reversal', ...hint }])
      const failed = { ...refund, failed: true }
      expect(await provider.getReversal(hint)).toEqual(failed)
      expect(await provider.listReversals(from, at())).toContainEqual(failed)
      expect(await sold(id)).toMatchObject([{ id: sale.id, refunded: false }])
    })

    it('knows no refund, chargeback or dispute that did not happen', async () => {
      const [sale] = await sold(await running())
      for (const [reversal, reversalId] of [
        ['refund', 'R-UNKNOWN'],
        ['reversal', chargebackIdOf(sale!.id)],
      ] as const)
        expect(await provider.getReversal({ saleId: sale!.id, reversalId, reversal })).toBe(undefined)
      expect(await provider.getDispute('PP-D-UNKNOWN')).toBe(undefined)
    })

    const order = (change: Partial<NewOrder> = {}): NewOrder => {
      const { tier: _, startsAt: __, ...about } = request()
      return { ...about, userId: OTHER_USER, credits: 300, amountCents: 499, currency: 'USD', ...change }
    }

    it('creates one unpaid order per request id, and knows no other', async () => {
      const one = order({ language: 'zh' })
      const [first, again, other] = [
        await provider.createOrder(one),
        await provider.createOrder(one),
        await provider.createOrder(order()),
      ]
      expect(first.paymentUrl).toMatch(/^https?:\/\//)
      expect(again).toEqual(first)
      expect(other.orderId).not.toBe(first.orderId)
      expect(await provider.collectOrder(first.orderId)).toEqual({ userId: OTHER_USER, sale: undefined })
      expect(await provider.collectOrder('UNKNOWN')).toBe(undefined)
    })

    it('takes the money of an approved order once, and tells of it by webhooks', async () => {
      await world.webhooks()
      const { orderId } = await provider.createOrder(order())
      await world.payOrder(orderId)
      const subject = { kind: 'order', orderId }
      expect((await webhooksOf(orderId)).map((webhook) => webhook.subject)).toEqual([subject])
      const [first, again] = [await provider.collectOrder(orderId), await provider.collectOrder(orderId)]
      expect(first).toMatchObject({ userId: OTHER_USER, sale: { amountCents: 499, currency: 'USD' } })
      expect(Math.abs(Date.parse(first?.sale?.soldAt ?? '') - world.now())).toBeLessThan(SECOND)
      expect(again).toEqual(first)
      const later = (await webhooksOf(orderId)).map((webhook) => webhook.subject)
      expect(later).toEqual(world.collectsItself ? [] : [subject])
    })

    it('reports the refund of an order like that of a sale', async () => {
      const { orderId } = await provider.createOrder(order())
      await world.payOrder(orderId)
      const sale = (await provider.collectOrder(orderId))?.sale ?? expect.fail('nothing was sold')
      await world.webhooks()
      const from = at()
      world.advance(SECOND)
      await world.refundOrder(orderId)
      const [webhook] = await webhooksOf(sale.id)
      const listed = (await provider.listReversals(from, at())) ?? []
      const reversal = listed.find(({ saleId }) => saleId === sale.id) ?? expect.fail('the refund is not listed')
      const { amountCents, ...hint } = reversal
      expect(webhook?.subject).toEqual({ kind: 'reversal', ...hint })
      expect([hint.saleId, amountCents]).toEqual([sale.id, 499])
      expect(await provider.getReversal(hint)).toEqual(reversal)
      expect(await provider.collectOrder(orderId)).toMatchObject({ sale: { id: sale.id } })
    })

    it('rejects transmissions of the future, and those older than any redelivery', async () => {
      await world.webhooks()
      await running()
      const [{ headers, body } = expect.fail('nothing was sent')] = await world.webhooks()
      const isAccepted = async () => (await provider.verifyWebhook(headers, body)) !== undefined
      const start = world.now()
      for (const [isAcceptable, ages] of [
        [true, world.ages.accepted],
        [false, world.ages.refused],
      ] as const)
        for (const age of ages) {
          world.advance(start + age - world.now())
          expect([age, await isAccepted()]).toEqual([age, isAcceptable])
        }
      world.advance(start - world.now())
    })

    it('closes an unpaid order, and leaves a paid one', async () => {
      const [{ orderId: unpaid }, { orderId: paid }] = [
        await provider.createOrder(order()),
        await provider.createOrder(order()),
      ]
      await world.payOrder(paid)
      for (const id of [unpaid, paid, unpaid]) await provider.closeOrder(id)
      expect(await provider.collectOrder(unpaid)).toEqual({ userId: OTHER_USER, sale: undefined })
      expect(await provider.collectOrder(paid)).toMatchObject({ sale: { amountCents: 499 } })
    })

    it('rejects forged and modified webhooks', async () => {
      await world.webhooks()
      await running()
      const [webhook] = await world.webhooks()
      const { headers, body } = webhook!
      const changed = Buffer.from(body.toString().replace('"id"', '"id" '))
      expect(await provider.verifyWebhook(headers, changed)).toBe(undefined)
      expect(await provider.verifyWebhook({}, body)).toBe(undefined)
      for (const name of Object.keys(headers).filter((each) => /-(id|time|sig|signature)$/i.test(each)))
        expect(await provider.verifyWebhook({ ...headers, [name]: `x${headers[name]}` }, body)).toBe(undefined)
      // A redelivered webhook keeps its id, by which the inbox deduplicates it.
      const [first, again] = [await provider.verifyWebhook(headers, body), await provider.verifyWebhook(headers, body)]
      expect(again).toEqual(first)
    })
  })
}
