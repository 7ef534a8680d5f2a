import * as z from 'zod/mini'
import type { Calendar } from '#backend/kernel/time.ts'
import type { ProviderAgreement } from '#backend/subscriptions/paymentProvider.port.ts'
import { type Finder, type FoundAgreement, subscriptionPath } from './findAgreement.ts'
import { expireSession } from './sessions.ts'
import { type StripeApi, StripeRefusal } from './stripeApi.ts'
import { Invoice, PortalSession, type Session, Subscription } from './stripeShapes.ts'

/** Returns the state of an agreement. */
export async function readAgreement(
  api: StripeApi,
  { sessionId: id, session, subscription }: FoundAgreement,
): Promise<ProviderAgreement | undefined> {
  if (!subscription) return session && sessionAgreement(session)
  const isUnpaid = ['past_due', 'unpaid'].includes(subscription.status)
  const open = { subscription: subscription.id, status: 'open' }
  const [invoice] = isUnpaid ? await api.list('/v1/invoices', Invoice, open) : []
  const status = statusOf(subscription)
  return {
    id,
    status,
    statusAt: statusAtOf(subscription),
    userId: subscription.metadata?.user_id || session?.client_reference_id || undefined,
    nextBillingAt: (status === 'active' && subscription.items.data[0]?.current_period_end) || null,
    // A start that is deferred by `trial_end` is no trial: the plan before it was paid.
    trial: false,
    failedAt: invoice?.status_transitions.finalized_at ?? null,
    ...(invoice?.hosted_invoice_url && { completionUrl: invoice.hosted_invoice_url }),
  }
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

type Change = Readonly<{ agreementId: string; reason: string }>
const commentOf = (reason: string) => ({ cancellation_details: { comment: reason.slice(0, 500) } })

/** Stripe has no time of a change, so the call that makes it writes one, which is later than that of the status before. */
export async function setPaused(
  api: StripeApi,
  { mustFind }: Finder,
  { agreementId, isPaused, reason, calendar }: Change & { readonly isPaused: boolean; readonly calendar: Calendar },
): Promise<void> {
  const { sessionId, subscription } = await mustFind(agreementId)
  if (!subscription) throw new StripeRefusal(`a change of ${agreementId}`, 400, '', 'It has no subscription yet')
  if (isOver(subscription) || isEnding(subscription) === isPaused) return
  const later = Math.max(calendar(), Date.parse(after(statusAtOf(subscription))))
  // The end that the portal or the dashboard sets is a date.
  const isDated = !isPaused && !subscription.cancel_at_period_end
  await api.post(subscriptionPath(subscription.id), Subscription, {
    ...(isDated ? { cancel_at: '' } : { cancel_at_period_end: isPaused }),
    ...commentOf(reason),
    metadata: { session: sessionId, status_at: new Date(later).toISOString() },
  })
}

/** Cancels a subscription, without proration, or expires the session that was to make it. */
export async function cancelAgreement(
  api: StripeApi,
  { find, mustFind, readSubscription }: Finder,
  { agreementId, reason }: Change,
): Promise<void> {
  let { session, subscription } = await mustFind(agreementId)
  if (session?.status === 'open') {
    await expireSession(api, session.id)
    // The buyer can have approved it in between.
    subscription = (await find(agreementId))?.subscription
  }
  if (!subscription || isOver(subscription)) return
  const params = { prorate: false, invoice_now: false, ...commentOf(reason) }
  try {
    await api.delete(subscriptionPath(subscription.id), Subscription, params)
  } catch (error) {
    const latest = error instanceof StripeRefusal && (await readSubscription(subscription.id))
    if (!latest || !isOver(latest)) throw error
  }
}

/** Opens the page of Stripe's portal on which the buyer changes the payment method. */
export async function paymentMethodUrl(api: StripeApi, found: FoundAgreement | undefined, return_url: string) {
  const { subscription } = found ?? {}
  if (!subscription || isOver(subscription)) return undefined
  const { customer } = subscription
  await chargeDefaultMethod(api, subscription)
  const after_completion = { type: 'redirect', redirect: { return_url } }
  const flow_data = { type: 'payment_method_update', after_completion }
  const { url } = await api.post('/v1/billing_portal/sessions', PortalSession, { customer, return_url, flow_data })
  return url
}

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
