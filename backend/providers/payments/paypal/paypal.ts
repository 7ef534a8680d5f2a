import * as z from 'zod/mini'
import { ValidationError } from '#backend/kernel/http/problemDetails.ts'
import type { PaidTier } from '#backend/subscriptions/events.ts'
import {
  type NewAgreement,
  type PaymentProvider,
  PaymentProviderDown,
  type ProviderAgreement,
  type ProviderSale,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { smallestUnits } from './amounts.ts'
import { type CertificateSource, createCertificates, fetchCertificate } from './certificates.ts'
import { parseWebhook } from './parseWebhook.ts'
import { createPaypalApi, type PaypalAccess, type PaypalPace, PaypalRefusal, understood } from './paypalApi.ts'
import { Id, Instant, type PaypalSubscription, Subscription } from './paypalShapes.ts'
import { createTransmissionCheck } from './verifyTransmission.ts'

export interface PaypalOptions extends PaypalAccess {
  /** The webhook's id at PayPal; it is part of what is signed. */
  readonly webhookId: string
  /** PayPal's id of each plan. */
  readonly plans: Readonly<Record<PaidTier, string>>
  readonly pace?: PaypalPace | undefined
  /** For tests: where certificates come from, whom they may go back to, and the clock they are valid by. */
  readonly certificates?: { readonly source: CertificateSource; readonly roots: readonly string[] } | undefined
  readonly now?: (() => number) | undefined
}

const Opened = z.object({ id: Id, links: z.optional(z.array(z.object({ rel: z.string(), href: z.url() }))) })
const Transactions = z.object({
  transactions: z.optional(
    z.array(
      z.object({
        id: Id,
        status: z.string(),
        time: Instant,
        amount_with_breakdown: z.object({ gross_amount: z.object({ currency_code: z.string(), value: z.string() }) }),
      }),
    ),
  ),
})

/** PayPal's subscriptions, v1: https://developer.paypal.com/docs/api/subscriptions/v1. */
export function createPaypal({ webhookId, plans, pace, certificates, now, ...access }: PaypalOptions): PaymentProvider {
  const api = createPaypalApi(access, pace)
  const pathOf = (agreementId: string) => `/v1/billing/subscriptions/${encodeURIComponent(agreementId)}`
  const { source = fetchCertificate, roots } = certificates ?? {}
  const isSent = createTransmissionCheck({ api, webhookId, certificates: createCertificates({ source, roots, now }) })

  const getAgreement = async (agreementId: string): Promise<ProviderAgreement | undefined> => {
    try {
      const answer = await api.call({ method: 'GET', path: pathOf(agreementId) })
      return agreementOf(understood(Subscription, answer, 'GET subscription'))
    } catch (error) {
      if (error instanceof PaypalRefusal && error.status === 404) return undefined
      throw error
    }
  }

  /** PayPal refuses a change that has happened already, as it refuses one that cannot be: a look tells which it was. */
  const change = async (action: string, wished: readonly string[], agreementId: string, reason: string) => {
    const body = JSON.stringify({ reason: reason.slice(0, 128) })
    try {
      await api.call({ method: 'POST', path: `${pathOf(agreementId)}/${action}`, body })
    } catch (error) {
      if (!(error instanceof PaypalRefusal) || error.status !== 422) throw error
      const there = await getAgreement(agreementId)
      if (!there || !wished.includes(there.status)) throw error
    }
  }

  return {
    name: 'paypal',
    getAgreement,

    async createAgreement(agreement) {
      const body = JSON.stringify(subscriptionOf(agreement, plans))
      const path = '/v1/billing/subscriptions'
      const answer = await api.call({ method: 'POST', path, body, requestId: agreement.requestId })
      const { id, links = [] } = understood(Opened, answer, `POST ${path}`)
      return { agreementId: id, approvalUrl: links.find(({ rel }) => rel === 'approve')?.href }
    },

    async listSales(agreementId, from, to) {
      const path = `${pathOf(agreementId)}/transactions?${new URLSearchParams({ start_time: from, end_time: to })}`
      const answer = await api.call({ method: 'GET', path })
      const { transactions = [] } = understood(Transactions, answer, 'GET transactions')
      return transactions
        .filter(({ status }) => status === 'COMPLETED')
        .map((transaction) => saleOf(agreementId, transaction))
        .filter(({ amountCents }) => amountCents > 0)
        .toSorted((a, b) => (a.soldAt < b.soldAt ? -1 : 1))
    },

    pauseAgreement: (agreementId, reason) =>
      change('suspend', ['suspended', 'cancelled', 'expired'], agreementId, reason),
    resumeAgreement: (agreementId, reason) => change('activate', ['active'], agreementId, reason),
    cancelAgreement: (agreementId, reason) => change('cancel', ['cancelled', 'expired'], agreementId, reason),

    async verifyWebhook(headers, body) {
      if (!(await isSent(headers, body))) return undefined
      return parseWebhook(parsed(body))
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
  if (!status || !statusAt) throw new PaymentProviderDown('PayPal told of a subscription without its status.')
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

type Transaction = NonNullable<z.infer<typeof Transactions>['transactions']>[number]

function saleOf(agreementId: string, { id, time, amount_with_breakdown }: Transaction): ProviderSale {
  const { currency_code: currency, value } = amount_with_breakdown.gross_amount
  const amountCents = smallestUnits(value, currency)
  if (amountCents === undefined) throw new Error(`PayPal's transaction ${id} has an amount that cannot be read.`)
  return { id, agreementId, amountCents, currency, soldAt: time }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ValidationError([{ path: '', code: 'not_json' }])
  }
}
