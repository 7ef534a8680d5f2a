import * as z from 'zod/mini'
import type { Clock } from '#backend/kernel/time.ts'
import type { ListedSale, PaymentProvider, ProviderAgreement } from '#backend/subscriptions/paymentProvider.port.ts'
import { getChargeback } from './reversals.ts'
import { expireSession, sessionPath } from './sessions.ts'
import { known, type StripeApi, StripeRefusal } from './stripeApi.ts'
import type { StripeLinks } from './stripeLinks.ts'
import { Charge, Invoice, PortalSession, Session, Subscription } from './stripeShapes.ts'

/** An agreement is named by its Checkout Session for good, because the subscription does not exist before it is paid. */
interface Found {
  readonly sessionId: string
  /** Undefined if the subscription was read by its own id. */
  readonly session: Session | undefined
  /** Undefined until the buyer has approved. */
  readonly subscription: Subscription | undefined
}

type Agreements = Required<
  Pick<
    PaymentProvider,
    'getAgreement' | 'listSales' | 'pauseAgreement' | 'resumeAgreement' | 'cancelAgreement' | 'paymentMethodUrl'
  >
>

export function createAgreements(api: StripeApi, links: StripeLinks, now: Clock): Agreements {
  const readSubscription = (id: string) => known(api.get(subscriptionPath(id), Subscription))

  /** @param id of the session, or of the subscription, by which webhooks name it */
  const find = async (id: string): Promise<Found | undefined> => {
    if (id.startsWith('sub_')) {
      const subscription = await readSubscription(id)
      const sessionId = subscription && (subscription.metadata?.session ?? (await sessionIdOf(id)))
      return sessionId ? { sessionId, session: undefined, subscription } : undefined
    }
    if (!id.startsWith('cs_')) return undefined
    const link = await links.find(id)
    const linked = link && (await readSubscription(link.subscriptionId))
    if (linked) return { sessionId: id, session: undefined, subscription: linked }
    const session = await known(api.get(sessionPath(id), Session, { expand: ['subscription'] }))
    if (session?.mode !== 'subscription') return undefined
    const subscription = typeof session.subscription === 'object' ? (session.subscription ?? undefined) : undefined
    if (subscription) await links.add(id, subscription.id)
    return { sessionId: id, session, subscription }
  }

  /** Returns the session of a subscription; undefined if another system made it. */
  const sessionIdOf = async (subscriptionId: string): Promise<string | undefined> => {
    const link = await links.find(subscriptionId)
    if (link) return link.sessionId
    const [session] = await api.list('/v1/checkout/sessions', Session, { subscription: subscriptionId })
    if (session) await links.add(session.id, subscriptionId)
    return session?.id
  }

  const reached = async (id: string): Promise<Found> => {
    const found = await find(id)
    if (!found) throw new StripeRefusal(`a change of ${id}`, 404, 'resource_missing', 'No such agreement')
    return found
  }

  /** Stripe has no time of a change, so the call that makes it writes one, which is later than that of the status before. */
  const setPaused = async (id: string, isPaused: boolean, reason: string) => {
    const { sessionId, subscription } = await reached(id)
    if (!subscription) throw new StripeRefusal(`a change of ${id}`, 400, 'not_approved', 'It has no subscription yet')
    if (isOver(subscription) || isEnding(subscription) === isPaused) return
    const later = Math.max(now(), Date.parse(statusAtOf(subscription)) + 1)
    // The end that the portal or the dashboard sets is a date.
    const isDated = !isPaused && !subscription.cancel_at_period_end
    await api.post(subscriptionPath(subscription.id), Subscription, {
      ...(isDated ? { cancel_at: '' } : { cancel_at_period_end: isPaused }),
      cancellation_details: { comment: reason.slice(0, 500) },
      metadata: { session: sessionId, status_at: new Date(later).toISOString() },
    })
  }

  return {
    async getAgreement(agreementId) {
      const found = await find(agreementId)
      if (!found) return undefined
      const { sessionId: id, session, subscription } = found
      if (!subscription) return session && sessionAgreement(session)
      const { status, metadata } = subscription
      const isUnpaid = status === 'past_due' || status === 'unpaid'
      const open = { subscription: subscription.id, status: 'open' }
      const [invoice] = isUnpaid ? await api.list('/v1/invoices', Invoice, open) : []
      const isActive = statusOf(subscription) === 'active'
      return {
        id,
        status: statusOf(subscription),
        statusAt: statusAtOf(subscription),
        userId: metadata?.user_id || session?.client_reference_id || undefined,
        nextBillingAt: (isActive && subscription.items.data[0]?.current_period_end) || null,
        // A start that is deferred by `trial_end` is no trial: the plan before it was paid.
        trial: false,
        failedAt: invoice?.status_transitions.finalized_at ?? null,
        ...(invoice?.hosted_invoice_url && { completionUrl: invoice.hosted_invoice_url }),
      }
    },

    async listSales(agreementId, from, to) {
      const { subscription } = (await find(agreementId)) ?? {}
      if (!subscription) return []
      const { id, customer } = subscription
      const paid = { subscription: id, status: 'paid', expand: ['data.payments'] }
      const sales = (await api.list('/v1/invoices', Invoice, paid))
        .flatMap((invoice) => saleOf(agreementId, invoice))
        .filter(({ soldAt }) => soldAt >= from && soldAt <= to)
        .toSorted((a, b) => a.soldAt.localeCompare(b.soldAt))
      if (sales.length === 0) return []
      const charges = await api.list('/v1/charges', Charge, { customer })
      const listed: ListedSale[] = []
      for (const sale of sales) {
        const charge = charges.find((each) => each.payment_intent === sale.id && each.status === 'succeeded')
        listed.push({ ...sale, refunded: charge !== undefined && (await isTakenBack(charge, sale.id)) })
      }
      return listed
    },

    pauseAgreement: (agreementId, reason) => setPaused(agreementId, true, reason),
    resumeAgreement: (agreementId, reason) => setPaused(agreementId, false, reason),

    async cancelAgreement(agreementId, reason) {
      let { session, subscription } = await reached(agreementId)
      if (session?.status === 'open') {
        await expireSession(api, session.id)
        // The buyer can have approved it in between.
        subscription = (await find(agreementId))?.subscription
      }
      if (!subscription || isOver(subscription)) return
      const comment = reason.slice(0, 500)
      const params = { prorate: false, invoice_now: false, cancellation_details: { comment } }
      try {
        await api.delete(subscriptionPath(subscription.id), Subscription, params)
      } catch (error) {
        const latest = error instanceof StripeRefusal && (await readSubscription(subscription.id))
        if (!latest || !isOver(latest)) throw error
      }
    },

    async paymentMethodUrl(agreementId, returnUrl) {
      const { subscription } = (await find(agreementId)) ?? {}
      if (!subscription || isOver(subscription)) return undefined
      await chargeDefaultMethod(api, subscription)
      const { url } = await api.post('/v1/billing_portal/sessions', PortalSession, {
        customer: subscription.customer,
        return_url: returnUrl,
        flow_data: {
          type: 'payment_method_update',
          after_completion: { type: 'redirect', redirect: { return_url: returnUrl } },
        },
      })
      return url
    },
  }

  async function isTakenBack(charge: z.infer<typeof Charge>, saleId: string): Promise<boolean> {
    if (charge.refunded || !charge.disputed) return charge.refunded
    const chargeback = await getChargeback(api, saleId, { unlessWon: true })
    return chargeback !== undefined && chargeback.amountCents + charge.amount_refunded >= charge.amount
  }
}

const subscriptionPath = (id: string) => `/v1/subscriptions/${encodeURIComponent(id)}`

/**
 * Lets a subscription be paid with the customer's default payment method, which the portal changes. Checkout stores the
 * method in the subscription, where it would go on to be charged.
 */
async function chargeDefaultMethod(api: StripeApi, { id, customer, default_payment_method }: Subscription) {
  if (!default_payment_method) return
  const path = `/v1/customers/${encodeURIComponent(customer)}`
  await api.post(path, z.object({}), { invoice_settings: { default_payment_method } })
  await api.post(subscriptionPath(id), Subscription, { default_payment_method: '' })
}

/** A session that was not paid. Its end has no time at Stripe, so it is one that is later than its creation. */
const sessionAgreement = ({ id, status, created, client_reference_id }: Session): ProviderAgreement => ({
  id,
  status: status === 'expired' ? 'expired' : 'pending',
  statusAt: status === 'expired' ? after(created) : created,
  userId: client_reference_id || undefined,
  nextBillingAt: null,
  trial: false,
  failedAt: null,
})

const STATUSES: Readonly<Record<string, ProviderAgreement['status']>> = {
  incomplete: 'pending',
  trialing: 'active',
  active: 'active',
  past_due: 'active',
  unpaid: 'suspended',
  paused: 'suspended',
  canceled: 'cancelled',
  incomplete_expired: 'expired',
}

const isOver = ({ status }: Subscription) => status === 'canceled' || status === 'incomplete_expired'

/** Returns whether a subscription is paused, as Kinora pauses: it ends with its period, unless it is resumed before. */
const isEnding = ({ cancel_at_period_end, cancel_at }: Subscription) => cancel_at_period_end || cancel_at !== null

function statusOf(subscription: Subscription): ProviderAgreement['status'] {
  // One of a later version of the API is not billed as usual.
  const status = STATUSES[subscription.status] ?? 'suspended'
  return status === 'active' && isEnding(subscription) ? 'suspended' : status
}

const after = (instant: string) => new Date(Date.parse(instant) + 1).toISOString()

/**
 * Returns the time of the last status change: Stripe's, or that which the last change wrote. The end is later than the
 * changes before it, also if this host's clock is fast.
 */
function statusAtOf(subscription: Subscription): string {
  const { created, canceled_at, ended_at, metadata } = subscription
  const written = metadata?.status_at ?? created
  const times = [created, written, canceled_at ?? created, ended_at ?? created]
  return (isOver(subscription) ? [...times, after(written)] : times).toSorted().at(-1) ?? created
}

/** Returns the sale that an invoice is. That of 0 which opens a deferred start is none. */
function saleOf(agreementId: string, invoice: z.infer<typeof Invoice>): Omit<ListedSale, 'refunded'>[] {
  const { amount_paid: amountCents, currency, status_transitions, payments } = invoice
  const payment = payments?.data.find(({ status, payment: { payment_intent } }) => status === 'paid' && payment_intent)
  const id = payment?.payment.payment_intent
  const soldAt = status_transitions.paid_at
  return amountCents > 0 && id && soldAt
    ? [{ id, agreementId, amountCents, currency: currency.toUpperCase(), soldAt }]
    : []
}
