import * as z from 'zod/mini'
import type { DisputeOutcome } from '#backend/subscriptions/events.ts'
import {
  chargebackIdOf,
  type NewRefund,
  type ProviderDispute,
  type ProviderReversal,
  type ReversalHint,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { decimalOf, smallestUnits } from './amounts.ts'
import type { PaypalApi } from './paypalApi.ts'
import { captureOf, Id, Instant, known, Money as MoneyV2 } from './paypalShapes.ts'

const Money = z.object({ total: z.string(), currency: z.string() })
const Refund = z.object({ id: Id, sale_id: Id, state: z.string(), amount: Money })
const Sale = z.object({ state: z.string(), amount: Money })
/** A refund or capture of the Payments API v2, by which packs are paid. */
const PaymentV2 = z.looseObject({ id: Id, status: z.string(), amount: MoneyV2 })
/** The short answer to a refund. */
const Refunded = z.object({ id: Id, status: z.string() })

/** States of refunds, of both versions of the API. Others are pending. */
const isCompleted = (state: string) => state.toUpperCase() === 'COMPLETED'
const isFailed = (state: string) => ['FAILED', 'CANCELLED'].includes(state.toUpperCase())
const Dispute = z.object({
  status: z.optional(z.string()),
  create_time: Instant,
  update_time: z.optional(Instant),
  seller_response_due_date: z.optional(Instant),
  disputed_transactions: z.array(z.object({ seller_transaction_id: z.optional(Id) })),
  dispute_outcome: z.optional(z.object({ outcome_code: z.optional(z.string()) })),
})

/** Outcomes after which the seller keeps the money, or has lost it. After any other outcome, nothing changes. */
const OUTCOMES: Readonly<Record<string, DisputeOutcome>> = {
  RESOLVED_SELLER_FAVOUR: 'won',
  CANCELED_BY_BUYER: 'won',
  DENIED: 'won',
  RESOLVED_BUYER_FAVOUR: 'lost',
  ACCEPTED: 'lost',
}

/**
 * Asks PayPal about a refund by its id (https://developer.paypal.com/docs/api/payments/v1 for the sales of subscriptions,
 * v2 for those of orders and those that Kinora makes), and about a chargeback, which has none, by its sale. Returns undefined if
 * PayPal does not know it, or it is pending.
 */
export const getReversal = async (api: PaypalApi, hint: ReversalHint): Promise<ProviderReversal | undefined> =>
  (await getReversalOfSale(api, hint)) ?? getReversalOfCapture(api, hint)

async function getReversalOfCapture(api: PaypalApi, hint: ReversalHint): Promise<ProviderReversal | undefined> {
  const { saleId, reversalId } = hint
  const isChargeback = reversalId === chargebackIdOf(saleId)
  const path = isChargeback ? `captures/${encodeURIComponent(saleId)}` : `refunds/${encodeURIComponent(reversalId)}`
  const found = await known(api.get(`/v2/payments/${path}`, PaymentV2))
  if (!found) return undefined
  const total = { total: found.amount.value, currency: found.amount.currency_code }
  if (isChargeback) return ['REVERSED', 'REFUNDED'].includes(found.status) ? reversalOf(hint, total) : undefined
  return captureOf(found) === saleId ? refundOf(hint, found.status, total) : undefined
}

async function getReversalOfSale(api: PaypalApi, hint: ReversalHint): Promise<ProviderReversal | undefined> {
  const { saleId, reversalId } = hint
  if (reversalId === chargebackIdOf(saleId)) {
    const sale = await known(api.get(`/v1/payments/sale/${encodeURIComponent(saleId)}`, Sale))
    const isTaken = sale?.state === 'reversed' || sale?.state === 'refunded'
    return isTaken ? reversalOf(hint, sale.amount) : undefined
  }
  const refund = await known(api.get(`/v1/payments/refund/${encodeURIComponent(reversalId)}`, Refund))
  return refund && refundOf({ ...hint, saleId: refund.sale_id }, refund.state, refund.amount)
}

function refundOf(hint: ReversalHint, state: string, amount: z.infer<typeof Money>): ProviderReversal | undefined {
  const refund = isCompleted(state) || isFailed(state) ? reversalOf(hint, amount) : undefined
  return refund && isFailed(state) ? { ...refund, failed: true } : refund
}

function reversalOf(hint: ReversalHint, { total, currency }: z.infer<typeof Money>): ProviderReversal | undefined {
  const amountCents = smallestUnits(total, currency)
  // PayPal gives some amounts of refunds as negative.
  return amountCents === undefined ? undefined : { ...hint, amountCents: Math.abs(amountCents) }
}

/**
 * Refunds a capture: https://developer.paypal.com/docs/api/payments/v2/#captures_refund. The sales of subscriptions are captures
 * too. PayPal refuses to refund more than the sale.
 */
export async function refund(
  api: PaypalApi,
  { saleId, refundId, amountCents, currency, reason }: NewRefund,
): Promise<ProviderReversal | undefined> {
  const amount = { value: decimalOf(amountCents), currency_code: currency }
  const body = { amount, note_to_payer: reason.slice(0, 255) }
  const path = `/v2/payments/captures/${encodeURIComponent(saleId)}/refund`
  const { id, status } = await api.post(path, Refunded, body, refundId)
  if (isFailed(status)) throw new Error(`PayPal answered that refund ${id} is ${status}`)
  return isCompleted(status) ? { saleId, reversalId: id, amountCents, reversal: 'refund' } : undefined
}

/** Asks PayPal about a dispute: https://developer.paypal.com/docs/api/customer-disputes/v1. */
export async function getDispute(api: PaypalApi, disputeId: string): Promise<ProviderDispute | undefined> {
  const found = await known(api.get(`/v1/customer/disputes/${encodeURIComponent(disputeId)}`, Dispute))
  if (!found) return undefined
  const {
    status,
    create_time,
    update_time,
    disputed_transactions,
    dispute_outcome,
    seller_response_due_date: dueAt,
  } = found
  const code = status === 'RESOLVED' ? (dispute_outcome?.outcome_code ?? '') : ''
  return {
    saleIds: disputed_transactions.flatMap(({ seller_transaction_id }) => seller_transaction_id ?? []),
    outcome: OUTCOMES[code] ?? 'open',
    statusAt: update_time ?? create_time,
    ...(dueAt && { dueAt }),
  }
}
