import { monthsAfter } from '#backend/kernel/time.ts'

/** An object with the field names of the API. */
// biome-ignore lint/suspicious/noExplicitAny: the official client's types judge the objects.
export type Wire = Record<string, any>

export interface StripeEvent {
  readonly id: string
  readonly type: string
  readonly created: number
  readonly data: { readonly object: Wire }
}

export type Method = 'card' | 'alipay' | 'wechat_pay'
/** What the bank says to a payment: `later` is reported by {@link StripeModel.settle}. */
export type Outcome = 'paid' | 'declined' | 'action' | 'later'

/** A refusal of a call. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly param: string | undefined
  constructor(status: number, code: string, message: string, param?: string) {
    super(message)
    this.status = status
    this.code = code
    this.param = param
  }
}

const DAY = 86_400
/** Seconds from a payment to its charge on the balance. */
const BOOKED_AFTER = 60
/** Days after a failed renewal on which it is tried again; after the last, the subscription is cancelled. */
const RETRY_DAYS = [3, 5, 7]

/** Stripe's state and behaviour, with a clock that tests move. Instants are whole seconds, as in the API. */
export class StripeModel {
  readonly objects = new Map<string, Wire>()
  /** Webhooks to send, in order. */
  readonly events: StripeEvent[] = []
  /** Types of events that the webhook endpoint is not subscribed to. */
  readonly unsent = new Set<string>()
  /** Outcome of the next renewals, by subscription; by default they are paid. */
  readonly renewals = new Map<string, Outcome>()
  /** Status of the next refunds. */
  refundStatus = 'succeeded'
  /** Whether the key may read the seller's balance. */
  readsBalance = true
  /** Currency of the seller's balance. */
  settlesIn = 'usd'
  /** Whether sessions can still be read. */
  keepsSessions = true
  url = 'https://checkout.stripe.test'
  readonly #clock: () => number
  #offset = 0
  #count = 0

  constructor(clock: () => number = () => Date.UTC(2026, 0, 31, 12)) {
    this.#clock = clock
  }

  /** Epoch milliseconds. */
  get now(): number {
    return this.#clock() + this.#offset
  }

  set now(ms: number) {
    this.#offset = ms - this.#clock()
  }

  get seconds(): number {
    return Math.floor(this.now / 1000)
  }

  newId(prefix: string): string {
    return `${prefix}_${String(++this.#count).padStart(8, '0')}`
  }

  add(prefix: string, object: string, fields: Wire): Wire {
    const made = { id: this.newId(prefix), object, created: this.seconds, livemode: false, ...fields }
    this.objects.set(made.id, made)
    return made
  }

  find(id: unknown, object: string): Wire {
    const found = this.objects.get(String(id))
    if (found?.object !== object)
      throw new Refused(404, 'resource_missing', `No such ${object}: '${id}'`, object.replaceAll('.', '_'))
    return found
  }

  /** Objects of a kind, newest first. */
  all(object: string): Wire[] {
    return [...this.objects.values()].filter((each) => each.object === object).reverse()
  }

  event(type: string, object: Wire): void {
    if (this.unsent.has(type)) return
    const data = { object: wireOf(object) }
    this.events.push({ id: this.newId('evt'), type, created: this.seconds, data })
  }

  /** Moves the clock, past all that is due until then. */
  advance(ms: number): void {
    const end = this.now + ms
    if (ms < 0) this.now = end
    for (;;) {
      const [next] = this.#due().toSorted((a, b) => a.at - b.at)
      if (!next || next.at * 1000 > end) break
      this.now = Math.max(this.now, next.at * 1000)
      next.run()
    }
    this.now = Math.max(this.now, end)
  }

  #due(): { at: number; run: () => void }[] {
    const due: { at: number; run: () => void }[] = []
    for (const session of this.all('checkout.session'))
      if (session.status === 'open') due.push({ at: session.expires_at, run: () => this.expire(session.id) })
    for (const subscription of this.all('subscription'))
      if (['active', 'trialing', 'past_due'].includes(subscription.status))
        due.push({ at: subscription.items.data[0].current_period_end, run: () => this.renew(subscription.id) })
    for (const charge of this.all('charge'))
      if (!charge.balance_transaction) due.push({ at: charge.created + BOOKED_AFTER, run: () => this.#book(charge) })
    for (const invoice of this.all('invoice'))
      if (invoice.status === 'open' && invoice.next_payment_attempt)
        due.push({ at: invoice.next_payment_attempt, run: () => this.retry(invoice) })
    return due
  }

  expire(id: string): Wire {
    const session = this.find(id, 'checkout.session')
    if (session.status !== 'open')
      throw new Refused(400, '', 'Only Checkout Sessions with a status in ["open"] can be expired.')
    Object.assign(session, { status: 'expired', url: null })
    this.event('checkout.session.expired', session)
    return session
  }

  /** The buyer pays on the page of a session. Returns whether the page is left. */
  pay(id: string, { method = 'card' as Method, outcome = 'paid' as Outcome } = {}): boolean {
    const session = this.find(id, 'checkout.session')
    if (session.status !== 'open') throw new Error(`${id} is ${session.status}`)
    if (outcome === 'declined') return false
    const isPlan = session.mode === 'subscription'
    if (method !== 'card' && (isPlan || !['usd', 'cny'].includes(session.currency)))
      throw new Error(`${method} cannot pay this`)
    Object.assign(session, { status: 'complete', url: null })
    if (isPlan) this.#subscribe(session)
    else {
      const { metadata } = session.model.payment_intent_data
      const intent = this.#intent({ amount: session.amount_total, currency: session.currency, metadata, method })
      session.payment_intent = intent.id
      if (outcome === 'later') intent.status = 'processing'
      else this.#charge(intent)
      session.payment_status = outcome === 'later' ? 'unpaid' : 'paid'
    }
    this.event('checkout.session.completed', session)
    return true
  }

  /** A payment that takes time succeeds, or fails. */
  settle(id: string, succeeds = true): void {
    const session = this.find(id, 'checkout.session')
    const intent = this.find(session.payment_intent, 'payment_intent')
    if (succeeds) this.#charge(intent)
    else intent.status = 'requires_payment_method'
    if (succeeds) session.payment_status = 'paid'
    this.event(`checkout.session.async_payment_${succeeds ? 'succeeded' : 'failed'}`, session)
  }

  #intent({ amount, currency, metadata = {}, method = 'card', customer = null }: Wire): Wire {
    const status = 'requires_payment_method'
    const payment_method = this.add('pm', 'payment_method', { type: method, customer }).id
    return this.add('pi', 'payment_intent', {
      ...{ amount, currency, metadata, customer, status, payment_method, amount_received: 0, latest_charge: null },
    })
  }

  #charge(intent: Wire): void {
    const { id: payment_intent, amount, currency, customer, payment_method } = intent
    const state = { status: 'succeeded', paid: true, captured: true, disputed: false, refunded: false }
    const charge = { payment_intent, amount, currency, customer, payment_method, amount_refunded: 0, ...state }
    intent.latest_charge = this.add('ch', 'charge', { ...charge, balance_transaction: null }).id
    Object.assign(intent, { status: 'succeeded', amount_received: amount })
  }

  #subscribe(session: Wire): void {
    const { subscription_data: data, line_items } = session.model
    const { unit_amount } = line_items[0].price_data
    const customer = this.add('cus', 'customer', { invoice_settings: { default_payment_method: null } }).id
    const start = this.seconds
    const deferred = Number(data.trial_end ?? data.billing_cycle_anchor ?? 0)
    // An anchor that has passed bills the whole period on approval.
    const isDeferred = deferred > start
    const end = isDeferred ? deferred : monthsLater(start, 1)
    const subscription = this.add('sub', 'subscription', {
      status: isDeferred && data.trial_end ? 'trialing' : 'active',
      ...{ customer, currency: session.currency, metadata: { ...data.metadata }, unit_amount },
      ...{ cancel_at: null, cancel_at_period_end: false, canceled_at: null, ended_at: null },
      default_payment_method: this.add('pm', 'payment_method', { type: 'card', customer }).id,
      trial_end: isDeferred && data.trial_end ? deferred : null,
      billing_cycle_anchor: isDeferred ? deferred : start,
      latest_invoice: null,
    })
    const price = { object: 'price', unit_amount, recurring: { interval: 'month' } }
    const item = { id: this.newId('si'), object: 'subscription_item', quantity: 1, price }
    const period = { current_period_start: start, current_period_end: end }
    subscription.items = { object: 'list', has_more: false, data: [{ ...item, ...period }] }
    Object.assign(session, { customer, subscription: subscription.id, payment_status: 'paid' })
    this.event('customer.subscription.created', subscription)
    this.#payInvoice(this.#invoice(subscription, isDeferred ? 0 : unit_amount, 'subscription_create'))
  }

  #invoice(subscription: Wire, amount: number, billing_reason: string): Wire {
    const { id, customer, currency } = subscription
    const invoice = this.add('in', 'invoice', {
      ...{ customer, currency, billing_reason, status: 'open', attempt_count: 0, next_payment_attempt: null },
      ...{ amount_due: amount, amount_paid: 0, amount_remaining: amount, total: amount },
      parent: { type: 'subscription_details', subscription_details: { subscription: id, metadata: {} } },
      status_transitions: { finalized_at: this.seconds, paid_at: null, marked_uncollectible_at: null, voided_at: null },
      payments: { object: 'list', has_more: false, data: [] as Wire[] },
    })
    invoice.hosted_invoice_url = `${this.url}/i/${invoice.id}`
    subscription.latest_invoice = invoice.id
    return invoice
  }

  /** The buyer, or a retry, pays an open invoice. */
  #payInvoice(invoice: Wire): void {
    const { amount_due: amount, currency, customer, parent } = invoice
    Object.assign(invoice, { status: 'paid', amount_paid: amount, amount_remaining: 0, next_payment_attempt: null })
    invoice.attempt_count++
    invoice.status_transitions.paid_at = this.seconds
    if (amount > 0) {
      const intent = this.#intent({ amount, currency, customer })
      this.#charge(intent)
      const payment = { type: 'payment_intent', payment_intent: intent.id }
      const fields = { invoice: invoice.id, status: 'paid', amount_paid: amount, currency, is_default: true, payment }
      invoice.payments.data.push(this.add('inpay', 'invoice_payment', fields))
    }
    this.event('invoice.paid', invoice)
    const subscription = this.find(parent.subscription_details.subscription, 'subscription')
    if (['past_due', 'unpaid'].includes(subscription.status)) this.turn(subscription.id, { status: 'active' })
  }

  /** Changes a subscription. */
  turn(id: string, change: Wire, event = 'updated'): void {
    const subscription = this.find(id, 'subscription')
    Object.assign(subscription, change)
    this.event(`customer.subscription.${event}`, subscription)
  }

  /** Begins the next period, or ends the subscription. */
  renew(id: string): void {
    const subscription = this.find(id, 'subscription')
    if (subscription.cancel_at) {
      this.cancel(id)
      return
    }
    const [item] = subscription.items.data
    const open = this.openInvoice(id)
    const status = open ? 'past_due' : 'active'
    // The day of the month stays that of the anchor, also after a shorter month.
    const [past, anchor] = [Math.max(this.seconds, item.current_period_end), subscription.billing_cycle_anchor]
    let months = 0
    while (monthsLater(anchor, months) <= past) months++
    Object.assign(item, { current_period_start: this.seconds, current_period_end: monthsLater(anchor, months) })
    this.turn(id, { status })
    const invoice = this.#invoice(subscription, subscription.unit_amount, 'subscription_cycle')
    const outcome = this.renewals.get(id) ?? 'paid'
    if (outcome === 'paid') this.#payInvoice(invoice)
    else this.#fail(invoice, outcome)
  }

  #fail(invoice: Wire, outcome: Outcome): void {
    const days = RETRY_DAYS[invoice.attempt_count++]
    const { subscription } = invoice.parent.subscription_details
    invoice.next_payment_attempt = days === undefined ? null : this.seconds + days * DAY
    this.event('invoice.payment_failed', invoice)
    if (outcome === 'action') this.event('invoice.payment_action_required', invoice)
    if (days === undefined) this.cancel(subscription)
    else if (invoice.attempt_count === 1) this.turn(subscription, { status: 'past_due' })
  }

  retry(invoice: Wire): void {
    const outcome = this.renewals.get(invoice.parent.subscription_details.subscription) ?? 'paid'
    if (outcome === 'paid') this.#payInvoice(invoice)
    else this.#fail(invoice, outcome)
  }

  openInvoice(subscription: string): Wire | undefined {
    const isOf = ({ status, parent }: Wire) =>
      status === 'open' && parent.subscription_details.subscription === subscription
    return this.all('invoice').find(isOf)
  }

  /** Pays what is open, or else bills the next month now. */
  bill(id: string): void {
    this.renewals.delete(id)
    const open = this.openInvoice(id)
    if (open) this.#payInvoice(open)
    else this.renew(id)
  }

  /** The renewal is due now, and fails until the next {@link bill}. */
  failRenewal(id: string, outcome: 'declined' | 'action' = 'declined'): void {
    this.renewals.set(id, outcome)
    this.renew(id)
  }

  cancel(id: string): Wire {
    const subscription = this.find(id, 'subscription')
    const { status, canceled_at } = subscription
    if (status === 'canceled') throw new Refused(404, 'resource_missing', `No such subscription: '${id}'`, 'id')
    const open = this.openInvoice(id)
    if (open) open.next_payment_attempt = null
    const ended = { canceled_at: canceled_at ?? this.seconds, ended_at: this.seconds }
    this.turn(id, { status: 'canceled', ...ended }, 'deleted')
    return subscription
  }

  /** Books a charge on the balance, with the fee, as Stripe does some time after the payment. */
  #book(charge: Wire): void {
    const [amount, fee] = [charge.amount, Math.round(charge.amount * 0.029) + 30]
    const booked = { amount, fee, net: amount - fee, currency: this.settlesIn, source: charge.id, type: 'charge' }
    charge.balance_transaction = this.add('txn', 'balance_transaction', booked).id
  }

  chargeOf(payment_intent: string): Wire {
    return this.find(this.find(payment_intent, 'payment_intent').latest_charge, 'charge')
  }

  refund(payment_intent: string, { amount, reason = null, metadata = {} }: Wire = {}): Wire {
    const charge = this.chargeOf(payment_intent)
    const left = charge.amount - charge.amount_refunded
    if (left === 0) throw new Refused(400, 'charge_already_refunded', `Charge ${charge.id} has already been refunded.`)
    const cents = Number(amount ?? left)
    if (!(cents > 0 && cents <= left))
      throw new Refused(400, '', `Refund amount (${cents}) is greater than unrefunded amount on charge (${left})`)
    const about = { amount: cents, currency: charge.currency, payment_intent, charge: charge.id, reason, metadata }
    const refund = this.add('re', 'refund', { ...about, status: this.refundStatus })
    this.#countRefunded(charge, cents)
    this.event('refund.created', refund)
    if (refund.status === 'succeeded') this.event('charge.refunded', charge)
    return refund
  }

  #countRefunded(charge: Wire, cents: number): void {
    charge.amount_refunded += cents
    charge.refunded = charge.amount_refunded === charge.amount
  }

  /** A refund ends that was pending, or fails although it had succeeded. */
  endRefund(id: string, status: 'succeeded' | 'failed'): void {
    const refund = this.find(id, 'refund')
    refund.status = status
    if (status === 'failed') this.#countRefunded(this.chargeOf(refund.payment_intent), -refund.amount)
    this.event('refund.updated', refund)
    if (status === 'failed') this.event('refund.failed', refund)
  }

  /** Opens a dispute. An inquiry takes no money. */
  dispute(payment_intent: string, { amount, inquiry = false }: { amount?: number; inquiry?: boolean } = {}): Wire {
    const charge = this.chargeOf(payment_intent)
    charge.disputed = true
    const dispute = this.add('du', 'dispute', {
      ...{ amount: amount ?? charge.amount, currency: charge.currency, charge: charge.id, payment_intent },
      ...{ status: inquiry ? 'warning_needs_response' : 'needs_response', reason: 'fraudulent' },
      balance_transactions: [] as Wire[],
    })
    this.event('charge.dispute.created', dispute)
    if (!inquiry) this.moveFunds(dispute.id, 'withdrawn')
    return dispute
  }

  moveFunds(id: string, to: 'withdrawn' | 'reinstated'): void {
    const dispute = this.find(id, 'dispute')
    const amount = to === 'withdrawn' ? -dispute.amount : dispute.amount
    dispute.balance_transactions.push(this.add('txn', 'balance_transaction', { amount, currency: dispute.currency }))
    this.event(`charge.dispute.funds_${to}`, dispute)
  }

  /** @param status `won`, `lost`, `warning_closed` and so on */
  closeDispute(id: string, status: string): void {
    const dispute = this.find(id, 'dispute')
    dispute.status = status
    this.event('charge.dispute.closed', dispute)
    if (status === 'won') this.moveFunds(id, 'reinstated')
  }

  /** A card network warns of a fraud. */
  warn(payment_intent: string): Wire {
    const charge = this.chargeOf(payment_intent).id
    const about = { payment_intent, charge, actionable: true, fraud_type: 'made_with_stolen_card' }
    const warning = this.add('issfr', 'radar.early_fraud_warning', about)
    this.event('radar.early_fraud_warning.created', warning)
    return warning
  }

  /** The buyer stores another card in the portal, which the next payments try. */
  changeMethod(customer: string): void {
    const held = this.find(customer, 'customer')
    held.invoice_settings.default_payment_method = this.add('pm', 'payment_method', { type: 'card', customer }).id
    // A method of the subscription's own stays the one that is charged.
    for (const { id, customer: of, default_payment_method } of this.all('subscription'))
      if (of === customer && !default_payment_method) this.renewals.delete(id)
  }
}

/** Returns an object as it is sent, without what only the model needs. */
export const wireOf = ({ model: _, unit_amount: __, ...object }: Wire): Wire => structuredClone(object)

const monthsLater = (seconds: number, months: number) =>
  Date.parse(monthsAfter(new Date(seconds * 1000).toISOString(), months)) / 1000
