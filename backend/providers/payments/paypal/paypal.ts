import * as z from 'zod/mini'
import { ValidationError } from '#backend/kernel/http/problemDetails.ts'
import type { Clock } from '#backend/kernel/time.ts'
import type { PaidTier } from '#backend/subscriptions/events.ts'
import {
  type ListedSale,
  type NewAgreement,
  type PaymentProvider,
  PaymentProviderDown,
  type ProviderAgreement,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { feeOf, smallestUnits } from './amounts.ts'
import { type CertificateSource, createCertificates, fetchCertificate } from './certificates.ts'
import { getDispute, getReversal, refund } from './getReversal.ts'
import { listReversals } from './listReversals.ts'
import { collectOrder, createOrder } from './orders.ts'
import { parseWebhook } from './parseWebhook.ts'
import { createPaypalApi, type PaypalAccess, type PaypalPace, PaypalRefusal } from './paypalApi.ts'
import { Id, Instant, Money, type PaypalSubscription, Subscription } from './paypalShapes.ts'
import { createTransmissionCheck } from './verifyTransmission.ts'

export interface PaypalOptions extends PaypalAccess {
  /** The webhook's id at PayPal, which is part of the signed message. */
  readonly webhookId: string
  readonly plans: Readonly<Record<PaidTier, string>>
  readonly pace?: PaypalPace | undefined
  /** Overrides the source of certificates and the trusted roots, for tests. */
  readonly certificates?: { readonly source: CertificateSource; readonly roots: readonly string[] } | undefined
  readonly now?: Clock | undefined
}

const Created = z.object({ id: Id, links: z.optional(z.array(z.object({ rel: z.string(), href: z.url() }))) })
const Amount = z.object({ gross_amount: Money, fee_amount: z.optional(Money) })
const Transaction = z.object({ id: Id, status: z.string(), time: Instant, amount_with_breakdown: Amount })
const Transactions = z.object({ transactions: z.optional(z.array(Transaction)) })

/** Creates a client for PayPal's Subscriptions API v1: https://developer.paypal.com/docs/api/subscriptions/v1. */
export function createPaypal({ webhookId, plans, pace, certificates, now, ...access }: PaypalOptions): PaymentProvider {
  const api = createPaypalApi(access, pace)
  const pathOf = (agreementId: string) => `/v1/billing/subscriptions/${encodeURIComponent(agreementId)}`
  const { source = fetchCertificate, roots } = certificates ?? {}
  const transmissionOf = createTransmissionCheck(api, webhookId, createCertificates(source, roots, now), now)

  const getAgreement = async (agreementId: string): Promise<ProviderAgreement | undefined> => {
    try {
      return agreementOf(await api.get(pathOf(agreementId), Subscription))
    } catch (error) {
      if (error instanceof PaypalRefusal && error.status === 404) return undefined
      throw error
    }
  }

  /** Changes the status. PayPal rejects repeated changes, so a rejection is ignored if the status is as intended. */
  const change = async (action: string, intended: readonly string[], agreementId: string, reason: string) => {
    try {
      await api.post(`${pathOf(agreementId)}/${action}`, z.unknown(), { reason: reason.slice(0, 128) })
    } catch (error) {
      if (!(error instanceof PaypalRefusal) || error.status !== 422) throw error
      const agreement = await getAgreement(agreementId)
      if (!agreement || !intended.includes(agreement.status)) throw error
    }
  }

  return {
    name: 'paypal',
    // PayPal takes other currencies for accounts in their countries, such as yuan in China.
    currencies: ['USD'],
    getAgreement,

    async createAgreement(agreement) {
      const body = subscriptionOf(agreement, plans)
      const { id, links = [] } = await api.post('/v1/billing/subscriptions', Created, body, agreement.requestId)
      return { agreementId: id, approvalUrl: links.find(({ rel }) => rel === 'approve')?.href }
    },

    createOrder: (order) => createOrder(api, order),
    collectOrder: (orderId, beforeTaking) => collectOrder(api, orderId, beforeTaking),
    // PayPal ends unpaid orders by itself.
    closeOrder: async () => {},

    async listSales(agreementId, from, to) {
      const path = `${pathOf(agreementId)}/transactions?${new URLSearchParams({ start_time: from, end_time: to })}`
      const { transactions = [] } = await api.get(path, Transactions)
      return transactions
        .filter(({ status }) => PAID.includes(status))
        .map((transaction) => saleOf(agreementId, transaction))
        .filter(({ amountCents }) => amountCents === undefined || amountCents > 0)
        .toSorted((a, b) => (a.soldAt < b.soldAt ? -1 : 1))
    },

    listReversals: (from, to) => listReversals(api, from, to),
    getReversal: (hint) => getReversal(api, hint),
    getDispute: (disputeId) => getDispute(api, disputeId),
    refund: (request) => refund(api, request),

    pauseAgreement: (agreementId, reason) =>
      change('suspend', ['suspended', 'cancelled', 'expired'], agreementId, reason),
    resumeAgreement: (agreementId, reason) => change('activate', ['active'], agreementId, reason),
    cancelAgreement: (agreementId, reason) => change('cancel', ['cancelled', 'expired'], agreementId, reason),

    async verifyWebhook(headers, body) {
      const transmissionId = await transmissionOf(headers, body)
      return transmissionId === undefined ? undefined : { ...parseWebhook(parseJson(body)), transmissionId }
    },
  }
}

const subscriptionOf = (
  { userId, tier, startsAt, language, returnUrl, cancelUrl }: NewAgreement,
  plans: Readonly<Record<PaidTier, string>>,
) => ({
  plan_id: plans[tier],
  custom_id: userId,
  ...(startsAt === null ? {} : { start_time: startsAt }),
  application_context: {
    brand_name: 'Kinora',
    locale: language === 'zh' ? 'zh-CN' : 'en-US',
    shipping_preference: 'NO_SHIPPING',
    user_action: 'SUBSCRIBE_NOW',
    return_url: returnUrl,
    cancel_url: cancelUrl,
  },
})

/** Statuses of transactions that were paid. */
const PAID = ['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']

const STATUSES = {
  APPROVAL_PENDING: 'pending',
  APPROVED: 'pending',
  ACTIVE: 'active',
  SUSPENDED: 'suspended',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
} as const

function agreementOf(subscription: PaypalSubscription): ProviderAgreement {
  const { id, status, custom_id: userId, status_update_time, update_time, create_time, billing_info } = subscription
  const statusAt = status_update_time ?? update_time ?? create_time
  if (!status || !statusAt) throw new PaymentProviderDown('PayPal sent a subscription without its status')
  const { next_billing_time, failed_payments_count = 0, last_failed_payment, cycle_executions } = billing_info ?? {}
  const isTrial = ({ tenure_type, cycles_completed, total_cycles = 1 }: NonNullable<typeof cycle_executions>[number]) =>
    tenure_type === 'TRIAL' && cycles_completed < total_cycles
  return {
    id,
    status: STATUSES[status],
    statusAt,
    userId: userId || undefined,
    nextBillingAt: next_billing_time ?? null,
    trial: cycle_executions?.some(isTrial) ?? false,
    failedAt: failed_payments_count > 0 ? (last_failed_payment?.time ?? null) : null,
  }
}

function saleOf(agreementId: string, transaction: z.infer<typeof Transaction>): ListedSale {
  const { id, status, time, amount_with_breakdown } = transaction
  const { gross_amount, fee_amount } = amount_with_breakdown
  const { currency_code: currency, value } = gross_amount
  return {
    id,
    agreementId,
    amountCents: smallestUnits(value, currency),
    currency,
    soldAt: time,
    feeCents: feeOf(fee_amount, currency),
    refunded: status === 'REFUNDED',
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ValidationError([{ path: '', code: 'not_json' }])
  }
}
