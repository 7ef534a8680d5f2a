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
import type { PaypalApi } from './paypalApi.ts'
import { captureOf, Id, Instant, known, Money as MoneyV2 } from './paypalShapes.ts'

const Money = z.object({ total: z.string(), currency: z.string() })
const Refund = z.object({ id: Id, sale_id: Id, state: z.string(), amount: Money })
const Sale = z.object({ state: z.string(), amount: Money })
/** A refund or capture of the Payments API v2, by which packs are paid. */
const PaymentV2 = z.looseObject({ id: Id, status: z.string(), amount: MoneyV2 })
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
 * Asks PayPal about a refund by its id (https://developer.paypal.com/docs/api/payments/v1 for the sales of subscriptions,
 * v2 for those of orders), and about a chargeback, which has none, by its sale. Returns undefined if PayPal does not know it or
 * has not completed it.
 */
export const getReversal = async (api: PaypalApi, hint: ReversalHint): Promise<ProviderReversal | undefined> =>
  (await getReversalOfSale(api, hint)) ?? getReversalOfCapture(api, hint)

async function getReversalOfCapture(api: PaypalApi, hint: ReversalHint): Promise<ProviderReversal | undefined> {
  const { saleId, reversalId } = hint
  const isChargeback = reversalId === chargebackIdOf(saleId)
  const path = isChargeback ? `captures/${encodeURIComponent(saleId)}` : `refunds/${encodeURIComponent(reversalId)}`
  const found = await known(api.get(`/v2/payments/${path}`, PaymentV2))
  if (!found) return undefined
  const isDone = isChargeback ? ['REVERSED', 'REFUNDED'].includes(found.status) : found.status === 'COMPLETED'
  const total = { total: found.amount.value, currency: found.amount.currency_code }
  return isDone && (isChargeback || captureOf(found) === saleId) ? reversalOf(hint, total) : undefined
}

async function getReversalOfSale(api: PaypalApi, hint: ReversalHint): Promise<ProviderReversal | undefined> {
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
