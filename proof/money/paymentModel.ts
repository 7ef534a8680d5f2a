import { monthsAfter } from '#backend/kernel/time.ts'
import type { PaidTier } from '#backend/subscriptions/events.ts'
import {
  chargebackIdOf,
  type ListedSale,
  type NewAgreement,
  type NewOrder,
  type NewRefund,
  type PaymentProvider,
  PaymentProviderDown,
  type ProviderAgreement,
  type ProviderDispute,
  type ProviderReversal,
  type ProviderSale,
  type ReversalHint,
  type WebhookSubject,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { createTills } from '#backend/subscriptions/tills.ts'

/** A sale of the model, whose amounts can always be booked. */
export type ModelSale = ProviderSale & { readonly amountCents: number }

type Account = { -readonly [K in keyof ProviderAgreement]: ProviderAgreement[K] } & {
  tier: PaidTier
  startsAt?: string | null
  sales: ModelSale[]
}

interface Order {
  readonly userId: string
  readonly amountCents: number
  readonly currency: string
  isApproved: boolean
  isClosed: boolean
  readonly sales: ModelSale[]
}

type Wanted = Pick<NewAgreement, 'userId' | 'tier'> & { readonly startsAt?: string | null }
type Ordered = Pick<NewOrder, 'userId' | 'amountCents'> & { readonly currency?: string }

/**
 * In-memory payment providers. Tests move their clock and deliver their webhooks. Ids are those that the product knows, with the
 * prefix of their provider.
 */
export class PaymentModel {
  readonly accounts = new Map<string, Account>()
  readonly orders = new Map<string, Order>()
  readonly webhooks: WebhookSubject[] = []
  /** While true, calls to the provider fail. It continues to bill, and buyers can still approve. */
  down = false
  /** While true, refunds that Kinora asks for are refused. */
  refusesRefunds = false
  /** While true, sales have another price than agreed. */
  isMispriced = false
  /** Refunds of each sale in cents, sales that were charged back, and those whose dispute was won. */
  readonly #refunded = new Map<string, number>()
  readonly #chargedBack = new Set<string>()
  readonly #won = new Set<string>()
  readonly #reversals: ProviderReversal[] = []
  /** Reversals by the idempotency key of the refund. */
  readonly #asked = new Map<string, ProviderReversal>()
  readonly #disputes = new Map<string, ProviderDispute>()
  readonly #now: () => number
  #count = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get #at() {
    return new Date(this.#now()).toISOString()
  }

  #setStatus(account: Account, status: ProviderAgreement['status']) {
    account.status = status
    // Two changes never have the same time, although the clock of a test stands still.
    account.statusAt = new Date(Math.max(this.#now(), Date.parse(account.statusAt) + 1)).toISOString()
    this.webhooks.push({ kind: 'agreement', agreementId: account.id })
  }

  #answer() {
    if (this.down) throw new PaymentProviderDown('down')
  }

  /** Returns the providers of these names as the product sees them. */
  tills(...names: readonly string[]) {
    return createTills(names.map((name) => this.till(name)))
  }

  /** Returns one of the providers. Like a real one, it does not know the prefix of its ids. */
  till(name: string): PaymentProvider {
    const prefix = name === 'paypal' ? '' : `${name}:`
    const strip = (id: string) => id.slice(prefix.length)
    const stripped = <T extends ReversalHint>(reversal: T): T => ({
      ...reversal,
      saleId: strip(reversal.saleId),
      reversalId: strip(reversal.reversalId),
    })
    return {
      name,
      currencies: ['USD', 'CNY'],
      createAgreement: async (wanted) => {
        const { agreementId, approvalUrl } = await this.createAgreement(wanted, prefix)
        return { agreementId: strip(agreementId), approvalUrl }
      },
      createOrder: async (wanted) => {
        const { orderId, paymentUrl } = await this.createOrder(wanted, prefix)
        return { orderId: strip(orderId), paymentUrl }
      },
      collectOrder: async (id, beforeTaking) => {
        const order = await this.collectOrder(prefix + id, beforeTaking)
        return order?.sale ? { ...order, sale: { ...order.sale, id: strip(order.sale.id) } } : order
      },
      closeOrder: (id) => this.closeOrder(prefix + id),
      getAgreement: async (id) => {
        const agreement = await this.getAgreement(prefix + id)
        return agreement && { ...agreement, id }
      },
      listSales: async (id, from, to) =>
        (await this.listSales(prefix + id, from, to)).map((sale) => ({ ...sale, id: strip(sale.id), agreementId: id })),
      listReversals: async () =>
        (await this.listReversals()).filter(({ saleId }) => isOf(prefix, saleId)).map(stripped),
      getReversal: async ({ saleId, reversalId, reversal }) => {
        const own = { saleId: prefix + saleId, reversalId: prefix + reversalId, reversal }
        const found = await this.getReversal(own)
        return found && stripped(found)
      },
      getDispute: async (id) => {
        const dispute = await this.getDispute(prefix + id)
        return dispute && { ...dispute, saleIds: dispute.saleIds.map(strip) }
      },
      refund: async (refund) => {
        const made = await this.refundSale({ ...refund, saleId: prefix + refund.saleId })
        return made && stripped(made)
      },
      pauseAgreement: (id) => this.pauseAgreement(prefix + id),
      resumeAgreement: (id) => this.resumeAgreement(prefix + id),
      cancelAgreement: (id) => this.cancelAgreement(prefix + id),
      verifyWebhook: async () => undefined,
    }
  }

  async createAgreement({ userId, tier, startsAt = null }: Wanted, prefix = '') {
    this.#answer()
    const id = `${prefix}I-${++this.#count}`
    const pending = {
      status: 'pending',
      statusAt: this.#at,
      nextBillingAt: null,
      trial: false,
      failedAt: null,
    } as const
    this.accounts.set(id, { id, userId, tier, startsAt, sales: [], ...pending })
    return { agreementId: id, approvalUrl: `https://pay.test/${id}` }
  }

  async createOrder({ userId, amountCents, currency = 'USD' }: Ordered, prefix = '') {
    this.#answer()
    const orderId = `${prefix}O-${++this.#count}`
    this.orders.set(orderId, { userId, amountCents, currency, isApproved: false, isClosed: false, sales: [] })
    return { orderId, paymentUrl: `https://pay.test/${orderId}` }
  }

  approveOrder(orderId: string) {
    const order = this.orders.get(orderId)
    if (!order || order.isApproved || order.isClosed) return
    order.isApproved = true
    this.webhooks.push({ kind: 'order', orderId })
  }

  async collectOrder(orderId: string, beforeTaking?: (userId: string) => Promise<void>) {
    this.#answer()
    const order = this.orders.get(orderId)
    if (!order) return undefined
    const { userId, isApproved, sales } = order
    if (isApproved && sales.length === 0) await beforeTaking?.(userId)
    // Another process can have taken it in between.
    if (isApproved && sales.length === 0) {
      const amountCents = this.isMispriced ? order.amountCents - 100 : order.amountCents
      const { currency } = order
      sales.push({ id: saleIdOf(orderId), agreementId: orderId, amountCents, currency, soldAt: this.#at })
      this.webhooks.push({ kind: 'order', orderId })
    }
    const [sale] = sales
    if (!sale) return { userId, sale: undefined }
    const { agreementId: _, ...sold } = sale
    return { userId, sale: sold }
  }

  /** Ends an order of a provider that can; PayPal cannot. */
  async closeOrder(orderId: string) {
    this.#answer()
    const order = this.orders.get(orderId)
    if (order && orderId.includes(':')) order.isClosed = true
  }

  /** Returns the sales of an agreement or order. */
  #salesOf = (id: string) => (this.accounts.get(id) ?? this.orders.get(id))?.sales

  /** Activates an agreement and bills the first month, which begins immediately or at a future start date. */
  approve(id: string) {
    const account = this.accounts.get(id)
    if (account?.status !== 'pending') return
    this.#setStatus(account, 'active')
    const { startsAt } = account
    if (startsAt && startsAt > this.#at) account.nextBillingAt = startsAt
    else this.#bill(account, this.#at)
  }

  /** Bills the months that have begun since the last call, on their billing dates. */
  billDue() {
    for (const account of this.accounts.values())
      while (account.status === 'active' && account.nextBillingAt !== null && account.nextBillingAt <= this.#at)
        this.#bill(account, account.nextBillingAt)
  }

  #bill(account: Account, soldAt: string) {
    const { id, tier } = account
    const { priceCents } = PLANS[tier]
    const sale = {
      id: `${saleIdOf(id)}-${account.sales.length}`,
      agreementId: id,
      amountCents: this.isMispriced ? priceCents - 100 : priceCents,
      currency: 'USD',
      soldAt,
    }
    account.sales.push(sale)
    account.failedAt = null
    account.nextBillingAt = monthsAfter(soldAt, 1)
    this.webhooks.push({ kind: 'sale', sale: { id: sale.id, agreementId: id } })
  }

  failPayment(id: string) {
    const account = this.accounts.get(id)
    if (account?.status !== 'active') return
    account.failedAt = this.#at
    this.webhooks.push({ kind: 'payment_failed', agreementId: id })
  }

  /** Refunds a percentage of a sale's amount, or the rest of it; by default, of the last sale. */
  refund(id: string, percent: number, nth = -1) {
    const sale = this.#salesOf(id)?.at(nth)
    if (!sale) return
    const wanted = Math.max(1, Math.floor((sale.amountCents * percent) / 100))
    const amountCents = Math.min(wanted, sale.amountCents - this.takenBack(sale))
    if (amountCents === 0) return
    this.#refunded.set(sale.id, (this.#refunded.get(sale.id) ?? 0) + amountCents)
    this.#reverse({
      saleId: sale.id,
      reversalId: reversalIdOf(sale.id, ++this.#count),
      amountCents,
      reversal: 'refund',
    })
  }

  /** Lets a refund fail after it was reported: the seller has the money again. */
  failRefund(nth: number) {
    const refunds = this.#reversals.filter(({ reversal, failed }) => reversal === 'refund' && !failed)
    const refund = refunds[nth % refunds.length]
    if (!refund) return
    this.#reversals[this.#reversals.indexOf(refund)] = { ...refund, failed: true }
    this.#refunded.set(refund.saleId, (this.#refunded.get(refund.saleId) ?? 0) - refund.amountCents)
    const { amountCents: _, ...hint } = refund
    this.webhooks.push({ kind: 'reversal', ...hint })
  }

  /** Charges a sale back. PayPal reports the whole sale, even if a part of it was refunded before. */
  chargeBack(id: string, nth = -1) {
    const sale = this.#salesOf(id)?.at(nth)
    if (!sale || this.#chargedBack.has(sale.id) || this.takenBack(sale) === sale.amountCents) return
    this.#chargedBack.add(sale.id)
    const { id: saleId, amountCents } = sale
    this.#reverse({ saleId, reversalId: chargebackIdOf(saleId), amountCents, reversal: 'reversal' })
  }

  #reverse(reversal: ProviderReversal) {
    this.#reversals.push(reversal)
    const { amountCents: _, ...hint } = reversal
    this.webhooks.push({ kind: 'reversal', ...hint })
  }

  /** Resolves a dispute about a sale's chargeback. If it is won, the seller gets the money back. */
  resolveDispute(id: string, isWon: boolean, nth = -1) {
    const sale = this.#salesOf(id)?.at(nth)
    if (!sale || !this.#chargedBack.has(sale.id)) return
    if (isWon) this.#won.add(sale.id)
    else this.#won.delete(sale.id)
    const [disputeId, statusAt] = [disputeIdOf(sale.id), new Date(this.#now() + ++this.#count).toISOString()]
    this.#disputes.set(disputeId, { saleIds: [sale.id], outcome: isWon ? 'won' : 'lost', statusAt })
    this.webhooks.push({ kind: 'dispute', disputeId })
  }

  /** Returns the part of a sale that was refunded or charged back, in cents. */
  takenBack({ id, amountCents }: Pick<ModelSale, 'id' | 'amountCents'>): number {
    const isCharged = this.#chargedBack.has(id) && !this.#won.has(id)
    return isCharged ? amountCents : (this.#refunded.get(id) ?? 0)
  }

  /** Returns whether a sale was refunded or charged back, also if its dispute was won since. */
  wasReversed(id: string): boolean {
    return this.#reversals.some(({ saleId }) => saleId === id)
  }

  async getAgreement(id: string) {
    this.#answer()
    const account = this.accounts.get(id)
    return account && { ...account }
  }

  async listSales(id: string, from: string, to: string): Promise<ListedSale[]> {
    this.#answer()
    return (this.accounts.get(id)?.sales ?? [])
      .filter(({ soldAt }) => soldAt >= from && soldAt <= to)
      .map((sale) => ({ ...sale, refunded: this.takenBack(sale) === sale.amountCents }))
  }

  /** Lists all reversals, because a history can pass months between two reconciliations, which run daily. */
  async listReversals() {
    this.#answer()
    return this.#reversals
  }

  async getReversal({ reversalId }: ReversalHint): Promise<ProviderReversal | undefined> {
    this.#answer()
    return this.#reversals.find((reversal) => reversal.reversalId === reversalId)
  }

  async refundSale({ saleId: id, refundId, amountCents }: NewRefund) {
    this.#answer()
    const sale = [...this.accounts.values(), ...this.orders.values()]
      .flatMap(({ sales }) => sales)
      .find((each) => each.id === id)
    if (this.refusesRefunds || !sale) throw new Error('refused')
    const own = this.#asked.get(refundId)
    if (own && this.#reversals.includes(own)) return own
    if (own || amountCents > sale.amountCents - this.takenBack(sale)) throw new Error('refused')
    this.#refunded.set(id, (this.#refunded.get(id) ?? 0) + amountCents)
    const made = { saleId: id, reversalId: reversalIdOf(id, ++this.#count), amountCents, reversal: 'refund' } as const
    this.#reverse(made)
    this.#asked.set(refundId, made)
    return made
  }

  async getDispute(disputeId: string) {
    this.#answer()
    return this.#disputes.get(disputeId)
  }

  async pauseAgreement(id: string) {
    this.#answer()
    const account = this.accounts.get(id)
    if (account?.status === 'active') this.#setStatus(account, 'suspended')
  }

  async resumeAgreement(id: string) {
    this.#answer()
    const account = this.accounts.get(id)
    if (account?.status !== 'suspended') return
    if (account.nextBillingAt !== null && account.nextBillingAt < this.#at) account.nextBillingAt = this.#at
    this.#setStatus(account, 'active')
  }

  async cancelAgreement(id: string) {
    this.#answer()
    this.cancel(id)
  }

  /** Cancels an agreement on behalf of the buyer, who does this at the provider. */
  cancel(id: string) {
    const account = this.accounts.get(id)
    if (account?.status === 'active' || account?.status === 'suspended') {
      account.nextBillingAt = null
      this.#setStatus(account, 'cancelled')
    }
  }
}

const isOf = (prefix: string, id: string) => (prefix ? id.startsWith(prefix) : !id.includes(':'))

/** Returns an id that belongs to another, with the same prefix. */
const derive = (id: string, letter: string) => id.replace(/^([a-z]+:)?/, `$1${letter}-`)
const saleIdOf = (id: string) => derive(id, 'S')
const disputeIdOf = (saleId: string) => derive(saleId, 'D')
const reversalIdOf = (saleId: string, count: number) => `${derive(saleId, 'R')}-${count}`
