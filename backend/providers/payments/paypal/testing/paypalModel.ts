import { monthsAfter } from '#backend/kernel/time.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { decimalOf } from '../amounts.ts'

type Status = 'APPROVAL_PENDING' | 'ACTIVE' | 'SUSPENDED' | 'CANCELLED' | 'EXPIRED'

/** A subscription with the field names of the API. */
export interface ModelSubscription {
  readonly id: string
  readonly plan_id: string
  readonly custom_id: string
  readonly create_time: string
  readonly start_time: string | undefined
  status: Status
  status_update_time: string
  billing_info: Record<string, unknown>
  readonly transactions: ModelTransaction[]
}

export interface ModelTransaction {
  readonly id: string
  status: 'COMPLETED' | 'DECLINED' | 'PARTIALLY_REFUNDED' | 'REFUNDED' | 'PENDING'
  readonly time: string
  readonly amount_with_breakdown: { readonly gross_amount: ModelMoney; readonly fee_amount?: ModelMoney }
}

type ModelMoney = Readonly<{ currency_code: string; value: string }>

/** What PayPal keeps of a payment: 3.49 % and 49 cents. Never given back. */
const feeOf = ({ currency_code, value }: ModelMoney): ModelMoney => ({
  currency_code,
  value: decimalOf(Math.round(Number(value) * 3.49) + 49),
})

/** A transaction of the account that takes money back for a sale, as in its reports. */
export interface ModelReport {
  readonly transaction_id: string
  readonly paypal_reference_id: string
  readonly transaction_event_code: 'T1107' | 'T1201'
  readonly transaction_initiation_date: string
  transaction_status: 'S' | 'P' | 'V'
  readonly transaction_amount: { readonly currency_code: string; readonly value: string }
}

/** An order with the field names of the API. */
export interface ModelOrder {
  readonly id: string
  status: 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'COMPLETED'
  /** Whether the buyer's card is refused. */
  declined: boolean
  readonly unit: {
    /** Missing if another shop made the order. */
    readonly custom_id?: string
    readonly amount: { readonly currency_code: string; readonly value: string }
  }
  readonly captures: ModelCapture[]
}

interface ModelCapture {
  readonly id: string
  status: 'COMPLETED' | 'PENDING' | 'PARTIALLY_REFUNDED' | 'REFUNDED' | 'REVERSED'
  readonly amount: ModelMoney
  readonly seller_receivable_breakdown: { readonly gross_amount: ModelMoney; readonly paypal_fee: ModelMoney }
  readonly create_time: string
}

export interface ModelPlan {
  readonly id: string
  readonly product_id: string
  readonly name: string
  readonly status: string
  readonly price: string
}

export interface PaypalEvent {
  readonly id: string
  readonly event_type: string
  readonly create_time: string
  readonly resource: object
}

export const MODEL_PLANS = { standard: 'P-STANDARD', pro: 'P-PRO', ultimate: 'P-ULTIMATE' }

/** PayPal's state and behaviour, with a clock that tests move. Instants are whole seconds, as in the API. */
export class PaypalModel {
  now = Date.UTC(2026, 0, 31, 12)
  readonly products = new Set<string>()
  readonly plans = new Map<string, ModelPlan>()
  readonly subscriptions = new Map<string, ModelSubscription>()
  readonly orders = new Map<string, ModelOrder>()
  /** Refunds and chargebacks, oldest first. */
  readonly reports: ModelReport[] = []
  /** Sales, refunds and disputes as the API returns them, by path. */
  readonly objects = new Map<string, object>()
  /** Whether the app may search transactions. */
  mayReport = true
  /** Cents that were refunded, by the sale's id. */
  readonly #refunded = new Map<string, number>()
  /** Webhooks to send, in order. */
  readonly events: PaypalEvent[] = []
  #count = 0

  constructor() {
    for (const [tier, id] of Object.entries(MODEL_PLANS)) {
      const price = decimalOf(PLANS[tier as keyof typeof MODEL_PLANS].priceCents)
      this.plans.set(id, { id, product_id: 'PROD-1', name: tier, status: 'ACTIVE', price })
    }
  }

  get at(): string {
    return `${new Date(this.now).toISOString().slice(0, 19)}Z`
  }

  newId(prefix: string): string {
    return `${prefix}${String(++this.#count).padStart(6, '0')}`
  }

  #queue(event_type: string, resource: object): void {
    this.events.push({ id: this.newId('WH-'), event_type, create_time: this.at, resource })
  }

  open(plan_id: string, custom_id: string, start_time: string | undefined): ModelSubscription {
    const id = this.newId('I-')
    const times = { create_time: this.at, status_update_time: this.at, start_time }
    const held = {
      id,
      plan_id,
      custom_id,
      status: 'APPROVAL_PENDING' as const,
      ...times,
      billing_info: {},
      transactions: [],
    }
    this.subscriptions.set(id, held)
    return held
  }

  of(id: string): ModelSubscription {
    const subscription = this.subscriptions.get(id)
    if (!subscription) throw new Error(`no subscription ${id}`)
    return subscription
  }

  wire({ transactions: _, ...subscription }: ModelSubscription): object {
    return subscription
  }

  turn(id: string, status: Status, event: string): void {
    const subscription = this.of(id)
    subscription.status = status
    subscription.status_update_time = this.at
    if (status === 'CANCELLED' || status === 'EXPIRED') delete subscription.billing_info.next_billing_time
    this.#queue(`BILLING.SUBSCRIPTION.${event}`, { ...this.wire(subscription) })
  }

  /** Activates a subscription and bills the first month, unless it starts later. */
  approve(id: string): void {
    const { start_time } = this.of(id)
    this.turn(id, 'ACTIVE', 'ACTIVATED')
    if (start_time === undefined || Date.parse(start_time) <= this.now) this.bill(id)
    else this.of(id).billing_info.next_billing_time = start_time
  }

  /** @param total amount to bill, by default the plan's price */
  bill(id: string, total = this.plans.get(this.of(id).plan_id)!.price): string | undefined {
    const { status, transactions, billing_info } = this.of(id)
    if (status !== 'ACTIVE') return undefined
    const time = this.at
    const gross_amount = { currency_code: 'USD', value: total }
    const amount_with_breakdown = { gross_amount, fee_amount: feeOf(gross_amount) }
    const sale = { id: this.newId('SALE'), status: 'COMPLETED' as const, time, amount_with_breakdown }
    transactions.push(sale)
    Object.assign(billing_info, {
      last_payment: { amount: gross_amount, time },
      next_billing_time: `${monthsAfter(time, 1).slice(0, 19)}Z`,
      failed_payments_count: 0,
    })
    const resource = this.#saleResource(id, sale, total)
    this.objects.set(`/v1/payments/sale/${sale.id}`, resource)
    this.#queue('PAYMENT.SALE.COMPLETED', resource)
    return sale.id
  }

  #saleResource(id: string, { id: saleId, time }: ModelTransaction, total: string, state = 'completed'): object {
    const amount = { total, currency: 'USD', details: { subtotal: total } }
    return { id: saleId, billing_agreement_id: id, amount, state, create_time: time, update_time: time }
  }

  failPayment(id: string): void {
    const subscription = this.of(id)
    if (subscription.status !== 'ACTIVE') return
    const { billing_info } = subscription
    billing_info.failed_payments_count = Number(billing_info.failed_payments_count ?? 0) + 1
    billing_info.last_failed_payment = { amount: { currency_code: 'USD', value: '12.99' }, time: this.at }
    this.#queue('BILLING.SUBSCRIPTION.PAYMENT.FAILED', structuredClone(this.wire(subscription)))
  }

  /** Refunds a percentage of the last sale. */
  refund(id: string, percent = 100): object | undefined {
    return this.#refund(this.of(id).transactions.at(-1), percent)
  }

  #refund(sale: ModelTransaction | undefined, percent = 100): object | undefined {
    if (!sale) return undefined
    const cents = Math.round(Number(sale.amount_with_breakdown.gross_amount.value) * percent)
    sale.status = percent === 100 ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
    this.#refunded.set(sale.id, (this.#refunded.get(sale.id) ?? 0) + cents)
    const [refundId, total] = [this.newId('R'), `-${decimalOf(cents)}`]
    this.#report('T1107', refundId, sale.id, total)
    const amount = { total, currency: 'USD' }
    const refund = { id: refundId, sale_id: sale.id, amount, state: 'completed', create_time: this.at }
    this.objects.set(`/v1/payments/refund/${refundId}`, refund)
    this.#queue('PAYMENT.SALE.REFUNDED', refund)
    return refund
  }

  /** Returns the sale of a subscription, or the payment of an order, with its amount. */
  #paid(saleId: string) {
    const sales = [...this.subscriptions.values()].flatMap(({ transactions }) => transactions)
    const sale = sales.find(({ id }) => id === saleId)
    if (sale) return { paid: sale, value: sale.amount_with_breakdown.gross_amount.value }
    const capture = [...this.orders.values()].flatMap(({ captures }) => captures).find(({ id }) => id === saleId)
    return capture && { paid: capture, value: capture.amount.value }
  }

  /** Refunds a part of a sale by the API v2. Returns the refund's id; undefined if the sale is unknown. */
  refundCapture(saleId: string, cents: number): string | undefined {
    const found = this.#paid(saleId)
    if (!found) return undefined
    const total = Math.round(Number(found.value) * 100)
    const taken = (this.#refunded.get(saleId) ?? 0) + cents
    if (taken > total) return 'too_much'
    this.#refunded.set(saleId, taken)
    found.paid.status = taken === total ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
    return this.#refundOf(saleId, decimalOf(cents))
  }

  #refundOf(saleId: string, value: string): string {
    const id = this.newId('R')
    this.#report('T1107', id, saleId, `-${value}`)
    const links = [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/${saleId}`, method: 'GET' }]
    const refund = { id, status: 'COMPLETED', amount: { currency_code: 'USD', value }, links }
    this.objects.set(`/v2/payments/refunds/${id}`, refund)
    this.#queue('PAYMENT.CAPTURE.REFUNDED', refund)
    return id
  }

  /** Lets a refund of the API v2 fail after it was completed. */
  failRefund(refundId: string): void {
    const path = `/v2/payments/refunds/${refundId}`
    const refund = { ...this.objects.get(path), status: 'FAILED' }
    this.objects.set(path, refund)
    const report = this.reports.find(({ transaction_id }) => transaction_id === refundId)
    if (!report) throw new Error(`no refund ${refundId}`)
    report.transaction_status = 'V'
    const found = this.#paid(report.paypal_reference_id)
    if (found) found.paid.status = 'COMPLETED'
    this.#refunded.delete(report.paypal_reference_id)
    this.#queue('PAYMENT.REFUND.FAILED', refund)
  }

  /** Reverses the last sale, as after a chargeback. PayPal's event contains the sale itself. */
  reverse(id: string): void {
    const sale = this.of(id).transactions.at(-1)
    if (!sale) return
    sale.status = 'REFUNDED'
    const { value } = sale.amount_with_breakdown.gross_amount
    this.#report('T1201', this.newId('C'), sale.id, `-${value}`)
    this.objects.set(`/v1/payments/sale/${sale.id}`, this.#saleResource(id, sale, value, 'reversed'))
    this.#queue('PAYMENT.SALE.REVERSED', this.#saleResource(id, sale, `-${value}`))
  }

  #report(code: ModelReport['transaction_event_code'], id: string, saleId: string, value: string): void {
    this.reports.push({
      transaction_id: id,
      paypal_reference_id: saleId,
      transaction_event_code: code,
      transaction_initiation_date: this.at,
      transaction_status: 'S',
      transaction_amount: { currency_code: 'USD', value },
    })
  }

  order(unit: ModelOrder['unit']): ModelOrder {
    const id = this.newId('ORDER')
    const made = { id, status: 'PAYER_ACTION_REQUIRED' as const, declined: false, unit, captures: [] }
    this.orders.set(id, made)
    return made
  }

  #order(id: string): ModelOrder {
    const order = this.orders.get(id)
    if (!order) throw new Error(`no order ${id}`)
    return order
  }

  /** The buyer approves an order, which moves no money. */
  approveOrder(id: string): void {
    const order = this.#order(id)
    order.status = 'APPROVED'
    this.#queue('CHECKOUT.ORDER.APPROVED', { id, status: 'APPROVED', purchase_units: [order.unit] })
  }

  capture(id: string): void {
    const order = this.#order(id)
    order.status = 'COMPLETED'
    const { amount } = order.unit
    const capture = {
      id: this.newId('CAP'),
      status: 'COMPLETED',
      amount,
      seller_receivable_breakdown: { gross_amount: amount, paypal_fee: feeOf(amount) },
      create_time: this.at,
    } as const
    order.captures.push(capture)
    const path = `/v2/payments/captures/${capture.id}`
    this.objects.set(path, capture)
    const related = { supplementary_data: { related_ids: { order_id: id } } }
    this.#queue('PAYMENT.CAPTURE.COMPLETED', { ...capture, ...related })
  }

  /** Refunds a percentage of the payment of an order, or charges all of it back. */
  takeBack(id: string, kind: 'refund' | 'reversal', percent = 100): void {
    const capture = this.#order(id).captures[0]
    if (!capture) return
    capture.status = kind === 'reversal' ? 'REVERSED' : percent === 100 ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
    const { currency_code, value } = capture.amount
    const taken = decimalOf(Math.round(Number(value) * percent))
    const refundId = this.newId(kind === 'refund' ? 'R' : 'C')
    this.#report(kind === 'refund' ? 'T1107' : 'T1201', refundId, capture.id, `-${taken}`)
    const links = [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/${capture.id}`, method: 'GET' }]
    const refund = { id: refundId, status: 'COMPLETED', amount: { currency_code, value: taken }, links }
    this.objects.set(`/v2/payments/refunds/${refundId}`, refund)
    this.#queue(`PAYMENT.CAPTURE.${kind === 'refund' ? 'REFUNDED' : 'REVERSED'}`, refund)
  }

  /** Opens a dispute about the last sale, or resolves it. Returns the dispute's id. */
  dispute(id: string, resolution?: { disputeId: string; outcome_code: string }): string {
    const sale = this.of(id).transactions.at(-1)!
    const dispute_id = resolution?.disputeId ?? this.newId('PP-D-')
    const times = { create_time: this.at, update_time: this.at }
    const about = { dispute_id, ...times, disputed_transactions: [{ seller_transaction_id: sale.id }] }
    const outcome = resolution && { dispute_outcome: { outcome_code: resolution.outcome_code } }
    const dispute = { ...about, status: outcome ? 'RESOLVED' : 'OPEN', ...outcome }
    this.objects.set(`/v1/customer/disputes/${dispute_id}`, dispute)
    this.#queue(`CUSTOMER.DISPUTE.${outcome ? 'RESOLVED' : 'CREATED'}`, dispute)
    return dispute_id
  }
}
