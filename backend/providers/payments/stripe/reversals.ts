import {
  chargebackIdOf,
  type NewRefund,
  type ProviderDispute,
  type ProviderReversal,
  type ReversalHint,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { known, type StripeApi, StripeRefusal } from './stripeApi.ts'
import { Dispute, FraudWarning, Refund } from './stripeShapes.ts'

/** Sales are named by their PaymentIntent, because refunds and disputes name it too. */

const REFUNDS = '/v1/refunds'
const DISPUTES = '/v1/disputes'

/** Statuses of refunds that may still happen. */
export const UNFINISHED: readonly (string | null)[] = ['pending', 'requires_action', null]
const FAILED: readonly (string | null)[] = ['failed', 'canceled']

/** Returns a refund; undefined while it is pending. */
function refundOf({ id, amount, status, payment_intent }: Refund): ProviderReversal | undefined {
  if (!payment_intent || UNFINISHED.includes(status)) return undefined
  const reversal = { saleId: payment_intent, reversalId: id, amountCents: amount, reversal: 'refund' } as const
  return FAILED.includes(status) ? { ...reversal, failed: true } : reversal
}

/** Returns the chargeback of a dispute; undefined for an inquiry, which takes no money. */
function chargebackOf({ amount, payment_intent, balance_transactions }: Dispute): ProviderReversal | undefined {
  if (!payment_intent || balance_transactions.length === 0) return undefined
  const reversalId = chargebackIdOf(payment_intent)
  return { saleId: payment_intent, reversalId, amountCents: amount, reversal: 'reversal' }
}

export async function listReversals(api: StripeApi, from: string, to: string) {
  const created = { gte: secondsOf(from), lte: secondsOf(to) }
  try {
    const refunds = await api.list(REFUNDS, Refund, { created })
    const disputes = await api.list(DISPUTES, Dispute, { created })
    // The webhook that would give back what a dispute claimed that is won already can be lost, too.
    const claiming = disputes.filter((dispute) => outcomeOf(dispute) !== 'won')
    return [...refunds.map(refundOf), ...claiming.map(chargebackOf)].filter((each) => each !== undefined)
  } catch (error) {
    if (error instanceof StripeRefusal && error.status === 403) return undefined
    throw error
  }
}

const secondsOf = (instant: string) => Math.floor(Date.parse(instant) / 1000)

/** Returns the chargeback of a sale; undefined if there is none. */
export async function getChargeback(api: StripeApi, saleId: string, { unlessWon = false } = {}) {
  const disputes = (await known(api.list(DISPUTES, Dispute, { payment_intent: saleId }))) ?? []
  return disputes
    .filter((dispute) => !unlessWon || outcomeOf(dispute) !== 'won')
    .map(chargebackOf)
    .find((each) => each !== undefined)
}

/** Returns a refund or chargeback. A webhook about a charge names no refund, so that of a charge is its newest. */
export async function getReversal(
  api: StripeApi,
  { saleId, reversalId, reversal }: ReversalHint,
): Promise<ProviderReversal | undefined> {
  if (reversal === 'reversal') return getChargeback(api, saleId)
  if (/^(ch|py)_/.test(reversalId))
    return (await refundsOf(api, saleId)).map(refundOf).find((each) => each !== undefined)
  const refund = await known(api.get(`${REFUNDS}/${encodeURIComponent(reversalId)}`, Refund))
  return refund?.payment_intent === saleId ? refundOf(refund) : undefined
}

const refundsOf = async (api: StripeApi, saleId: string) =>
  (await known(api.list(REFUNDS, Refund, { payment_intent: saleId }))) ?? []

/** Refunds once for each id. Stripe forgets idempotency keys after a day, so the refund carries the id as well. */
export async function refund(
  api: StripeApi,
  { saleId, refundId, amountCents, reason }: NewRefund,
): Promise<ProviderReversal | undefined> {
  const earlier = (await refundsOf(api, saleId)).find(({ metadata }) => metadata?.refund_id === refundId)
  const params = {
    payment_intent: saleId,
    amount: amountCents,
    reason: 'requested_by_customer',
    metadata: { refund_id: refundId, reason: reason.slice(0, 500) },
  }
  const made = earlier ?? (await api.create(REFUNDS, Refund, params, `refund ${refundId}`)).data
  if (FAILED.includes(made.status))
    throw new StripeRefusal(`POST ${REFUNDS}`, 402, 'refund_failed', `${made.id} is ${made.status}`)
  return refundOf(made)
}

/** Other statuses are open, also those of later versions of the API. */
const OUTCOMES: Readonly<Record<string, 'won' | 'lost'>> = {
  won: 'won',
  warning_closed: 'won',
  prevented: 'won',
  lost: 'lost',
}

const outcomeOf = ({ status }: Dispute) => OUTCOMES[status] ?? 'open'

/**
 * Returns a dispute. Stripe has no time of its status. Its balance transactions have times: money is taken when it begins or
 * is appealed, and given back when it is won. A loss moves none, so an end is a millisecond later than what was before it.
 */
export async function getDispute(api: StripeApi, disputeId: string): Promise<ProviderDispute | undefined> {
  const dispute = await known(api.get(`${DISPUTES}/${encodeURIComponent(disputeId)}`, Dispute))
  if (!dispute) return undefined
  const { created, payment_intent, balance_transactions, evidence_details } = dispute
  const dueAt = evidence_details?.due_by
  const outcome = outcomeOf(dispute)
  const last = Math.max(...[created, ...balance_transactions.map((each) => each.created)].map((at) => Date.parse(at)))
  const statusAt = new Date(outcome === 'open' ? last : last + 1).toISOString()
  return { saleIds: payment_intent ? [payment_intent] : [], outcome, statusAt, ...(dueAt && { dueAt }) }
}

/** Returns the sale of a fraud warning, while a refund can still prevent the chargeback. */
export async function getFraudWarning(api: StripeApi, id: string): Promise<{ saleId: string } | undefined> {
  const path = `/v1/radar/early_fraud_warnings/${encodeURIComponent(id)}`
  const warning = await known(api.get(path, FraudWarning))
  return warning?.actionable && warning.payment_intent ? { saleId: warning.payment_intent } : undefined
}
