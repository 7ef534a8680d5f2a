import * as z from 'zod/mini'
import type { DisputeOutcome } from '#backend/subscriptions/events.ts'
import {
  chargebackIdOf,
  type PaymentProvider,
  type ProviderDispute,
  type ProviderReversal,
  type ReversalHint,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { decimalOf, smallestUnits } from './amounts.ts'
import { type PaypalApi, PaypalRefusal } from './paypalApi.ts'
import { Id, Instant } from './paypalShapes.ts'

const Money = z.object({ total: z.string(), currency: z.string() })
const Refund = z.object({ id: Id, sale_id: Id, state: z.string(), amount: Money })
const Sale = z.object({ state: z.string(), amount: Money })
const Dispute = z.object({
  status: z.optional(z.string()),
  create_time: Instant,
  update_time: z.optional(Instant),
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
 * Asks PayPal about a refund by its id (https://developer.paypal.com/docs/api/payments/v1), and about a chargeback, which
 * has none, by its sale. Returns undefined if PayPal does not know it or has not completed it.
 */
export async function getReversal(api: PaypalApi, hint: ReversalHint): Promise<ProviderReversal | undefined> {
  const { saleId, reversalId } = hint
  if (reversalId === chargebackIdOf(saleId)) {
    const sale = await known(api.get(`/v1/payments/sale/${encodeURIComponent(saleId)}`, Sale))
    const isTaken = sale?.state === 'reversed' || sale?.state === 'refunded'
    return isTaken ? reversalOf(hint, sale.amount) : undefined
  }
  const refund = await known(api.get(`/v1/payments/refund/${encodeURIComponent(reversalId)}`, Refund))
  return refund && reversalOfRefund(refund, hint.reversal)
}

function reversalOfRefund({ id, sale_id, state, amount }: z.infer<typeof Refund>, reversal: ReversalHint['reversal']) {
  return state === 'completed' ? reversalOf({ saleId: sale_id, reversalId: id, reversal }, amount) : undefined
}

function reversalOf(hint: ReversalHint, { total, currency }: z.infer<typeof Money>): ProviderReversal | undefined {
  const amountCents = smallestUnits(total, currency)
  // PayPal gives some amounts of refunds as negative.
  return amountCents === undefined ? undefined : { ...hint, amountCents: Math.abs(amountCents) }
}

/** Refunds all of a sale. The idempotency key is the sale's, and PayPal refuses to refund more than the sale. */
export async function refundSale(
  api: PaypalApi,
  { id, amountCents, currency }: Parameters<PaymentProvider['refundSale']>[0],
): Promise<ProviderReversal | undefined> {
  const body = { amount: { total: decimalOf(amountCents), currency } }
  const path = `/v1/payments/sale/${encodeURIComponent(id)}/refund`
  return reversalOfRefund(await api.post(path, Refund, body, `refund-${id}`), 'refund')
}

/** Asks PayPal about a dispute: https://developer.paypal.com/docs/api/customer-disputes/v1. */
export async function getDispute(api: PaypalApi, disputeId: string): Promise<ProviderDispute | undefined> {
  const found = await known(api.get(`/v1/customer/disputes/${encodeURIComponent(disputeId)}`, Dispute))
  if (!found) return undefined
  const { status, create_time, update_time, disputed_transactions, dispute_outcome } = found
  const code = status === 'RESOLVED' ? (dispute_outcome?.outcome_code ?? '') : ''
  return {
    saleIds: disputed_transactions.flatMap(({ seller_transaction_id }) => seller_transaction_id ?? []),
    outcome: OUTCOMES[code] ?? 'open',
    statusAt: update_time ?? create_time,
  }
}

/** Returns undefined for an object that PayPal does not know, or does not show to this app. */
const known = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error) => {
    if (error instanceof PaypalRefusal && (error.status === 403 || error.status === 404)) return undefined
    throw error
  })
