import { createHash } from 'node:crypto'
import type { NewAgreement, NewOrder } from '#backend/subscriptions/paymentProvider.port.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { packName } from '../packName.ts'
import { formOf, type Params, type StripeApi, StripeRefusal } from './stripeApi.ts'
import { Session } from './stripeShapes.ts'

const SESSIONS = '/v1/checkout/sessions'
export const sessionPath = (id: string) => `${SESSIONS}/${encodeURIComponent(id)}`

/** Stripe refuses trials that end less than 48 hours ahead. The hour is for clocks that differ. */
const TRIAL_MS = 49 * 3_600_000

/**
 * Opens a Checkout Session, once for each request. A repeated request can outlive the 24 hours of a session, and Stripe
 * then still repeats its answer, so the next session is asked for with a key that names the expired one. The key also
 * names the parameters, because Stripe refuses a key with others: the form of a deferred start depends on the time.
 */
async function openSession(api: StripeApi, requestId: string, params: Params): Promise<Session> {
  const digest = createHash('sha256').update(formOf(params).toString()).digest('hex').slice(0, 16)
  let key = `${requestId} ${digest}`
  for (;;) {
    const { data, isReplayed } = await api.create(SESSIONS, Session, params, key)
    if (!isReplayed) return data
    const session = await api.get(sessionPath(data.id), Session)
    if (session.status !== 'expired') return session
    key = `${requestId} after ${session.id}`
  }
}

/** Opens the page on which the buyer approves an agreement. Its subscription exists only after that. */
export function openAgreement(api: StripeApi, agreement: NewAgreement, now: number): Promise<Session> {
  const { requestId, tier, startsAt, userId } = agreement
  const name = `Kinora ${tier[0]?.toUpperCase()}${tier.slice(1)}`
  return openSession(api, requestId, {
    mode: 'subscription',
    line_items: [item(name, 'usd', PLANS[tier].priceCents, { recurring: { interval: 'month' } })],
    subscription_data: { metadata: { user_id: userId }, ...startOf(startsAt, now) },
    ...pageOf(agreement, 'subscription_id'),
  })
}

/**
 * Returns the parameters of a deferred start. If the date passes before the buyer approves, the first payment is due on
 * approval.
 */
function startOf(startsAt: string | null, now: number): Params {
  const startMs = startsAt === null ? 0 : Date.parse(startsAt)
  if (startMs <= now) return {}
  const seconds = Math.ceil(startMs / 1000)
  if (startMs >= now + TRIAL_MS) return { trial_end: seconds }
  return { billing_cycle_anchor: seconds, proration_behavior: 'none' }
}

/** Opens the page on which the buyer pays for a pack. The account's settings choose the payment methods. */
export function openOrder(api: StripeApi, order: NewOrder): Promise<Session> {
  const { requestId, userId, amountCents, currency } = order
  return openSession(api, requestId, {
    mode: 'payment',
    line_items: [item(packName(order), currency.toLowerCase(), amountCents)],
    payment_intent_data: { metadata: { user_id: userId } },
    payment_method_options: { wechat_pay: { client: 'web' } },
    ...pageOf(order, 'token'),
  })
}

/** A price that contains the tax, so that what is paid equals Kinora's price. */
const item = (name: string, currency: string, unit_amount: number, more: Params = {}): Params => ({
  quantity: 1,
  price_data: { currency, unit_amount, tax_behavior: 'inclusive', product_data: { name }, ...more },
})

function pageOf({ userId, language, returnUrl, cancelUrl }: NewAgreement | NewOrder, idName: string): Params {
  // Stripe replaces the template, whose braces URLSearchParams would escape.
  const separator = returnUrl.includes('?') ? '&' : '?'
  return {
    client_reference_id: userId,
    metadata: { user_id: userId },
    locale: language,
    // The buyer's currency would be a choice of Stripe, at a price that is not Kinora's.
    adaptive_pricing: { enabled: false },
    success_url: `${returnUrl}${separator}${idName}={CHECKOUT_SESSION_ID}`,
    cancel_url: cancelUrl,
  }
}

/** Expires an open session, so that it cannot be paid any more. Stripe refuses this for others, which stay as they are. */
export async function expireSession(api: StripeApi, id: string): Promise<void> {
  try {
    await api.post(`${sessionPath(id)}/expire`, Session, {})
  } catch (error) {
    if (!(error instanceof StripeRefusal) || ![400, 404].includes(error.status)) throw error
  }
}
