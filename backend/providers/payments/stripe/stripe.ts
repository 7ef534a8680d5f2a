import type { Calendar, Clock } from '#backend/kernel/time.ts'
import type { PaymentProvider, ProviderOrder } from '#backend/subscriptions/paymentProvider.port.ts'
import { cancelAgreement, paymentMethodUrl, readAgreement, setPaused } from './agreements.ts'
import { createFinder } from './findAgreement.ts'
import { listSales } from './listSales.ts'
import { getDispute, getFraudWarning, getReversal, listReversals, refund } from './reversals.ts'
import { expireSession, openAgreement, openOrder, sessionPath } from './sessions.ts'
import { createStripeApi, known, type StripeAccess, type StripeApi, type StripePace, withFees } from './stripeApi.ts'
import type { StripeLinks } from './stripeLinks.ts'
import { feeOf, Session } from './stripeShapes.ts'
import { verifyWebhook } from './stripeWebhooks.ts'

export interface StripeOptions extends StripeAccess {
  /** The signing secret of the webhook endpoint: `whsec_…`. */
  readonly webhookSecret: string
  readonly links: StripeLinks
  /** Business time, of the agreements. */
  readonly calendar: Calendar
  /** Real time, of the webhooks. */
  readonly clock: Clock
  readonly pace?: StripePace | undefined
}

/** Creates a till that bills plans and sells packs through Stripe Checkout. See docs/decisions/0069-several-tills.md. */
export function createStripe({
  webhookSecret,
  links,
  calendar,
  clock,
  pace,
  ...access
}: StripeOptions): PaymentProvider {
  const api = createStripeApi(access, pace)
  const finder = createFinder(api, links)
  return {
    name: 'stripe',
    currencies: ['USD', 'CNY'],

    async createAgreement(agreement) {
      const { id, url } = await openAgreement(api, agreement, calendar())
      return { agreementId: id, approvalUrl: url ?? undefined }
    },
    async getAgreement(agreementId) {
      const found = await finder.find(agreementId)
      return found && readAgreement(api, found)
    },
    async listSales(agreementId, from, to) {
      const { subscription } = (await finder.find(agreementId)) ?? {}
      return subscription ? listSales(api, agreementId, subscription, [from, to]) : []
    },
    pauseAgreement: (agreementId, reason) => setPaused(api, finder, { agreementId, isPaused: true, reason, calendar }),
    resumeAgreement: (agreementId, reason) =>
      setPaused(api, finder, { agreementId, isPaused: false, reason, calendar }),
    cancelAgreement: (agreementId, reason) => cancelAgreement(api, finder, { agreementId, reason }),
    paymentMethodUrl: async (agreementId, returnUrl) =>
      paymentMethodUrl(api, await finder.find(agreementId), returnUrl),

    async createOrder(order) {
      const { id, url } = await openOrder(api, order)
      return { orderId: id, paymentUrl: url ?? undefined }
    },
    collectOrder: (orderId) => readOrder(api, orderId),
    closeOrder: (orderId) => expireSession(api, orderId),

    refund: (wanted) => refund(api, wanted),
    listReversals: (from, to) => listReversals(api, from, to),
    getReversal: (hint) => getReversal(api, hint),
    getDispute: (disputeId) => getDispute(api, disputeId),
    getFraudWarning: (warningId) => getFraudWarning(api, warningId),
    verifyWebhook: async (headers, body) => verifyWebhook(webhookSecret, headers, body, clock()),
  }
}

/** Returns an order, which Stripe collects by itself. With Alipay and others, a complete session can be paid later, or never. */
async function readOrder(api: StripeApi, orderId: string): Promise<ProviderOrder | undefined> {
  const session = await known(
    withFees((fees) => api.get(sessionPath(orderId), Session, { expand: [`payment_intent.latest_charge${fees}`] })),
  )
  if (session?.mode !== 'payment') return undefined
  const { client_reference_id, payment_status, payment_intent: intent, amount_total, currency } = session
  const userId = client_reference_id || undefined
  if (payment_status !== 'paid' || !intent || typeof intent === 'string') return { userId, sale: undefined }
  const { id, created, latest_charge } = intent
  const charge = typeof latest_charge === 'string' ? undefined : latest_charge
  const sold = { soldAt: charge?.created ?? created, feeCents: charge ? feeOf(charge) : undefined }
  return {
    userId,
    sale: { id, amountCents: amount_total ?? undefined, currency: currency?.toUpperCase() ?? '', ...sold },
  }
}
