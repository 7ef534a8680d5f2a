import * as z from 'zod/mini'
import { ValidationError } from '#backend/kernel/http/problemDetails.ts'
import type { DisputeOutcome } from '#backend/subscriptions/events.ts'
import {
  chargebackIdOf,
  type PaymentWebhook,
  type WebhookSubject,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { smallestUnits } from './amounts.ts'
import { Id, Instant, Subscription } from './paypalShapes.ts'

const Event = z.object({ id: Id, event_type: Id, create_time: Instant, resource: z.unknown() })
const Identified = z.object({ id: Id })
const Money = z.object({ total: z.string(), currency: z.string().check(z.regex(/^[A-Z]{3}$/)) })
const Sale = z.object({ id: Id, billing_agreement_id: z.optional(Id), amount: Money, create_time: Instant })
/** A refund or, in some reversal events, the sale itself with the reversed amount. */
const Reversed = z.object({ id: Id, sale_id: z.optional(Id), amount: Money })

const Dispute = z.object({
  dispute_id: Id,
  status: z.optional(z.string()),
  create_time: z.optional(Instant),
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
 * Parses an event of PayPal's webhooks API v1. Does not verify its signature.
 * @throws ValidationError if it is not a PayPal event
 */
export function parseWebhook(event: unknown): PaymentWebhook {
  const { id, event_type: type, create_time: at, resource } = parse(Event, event)
  const { subject, state } = subjectOf(type, resource, at)
  return { id, type, objectId: `${type} ${state}`, subject }
}

/** Returns the subject of an event. `state` identifies the object and its state. */
function subjectOf(type: string, resource: unknown, at: string): { subject: WebhookSubject; state: string } {
  if (type === 'PAYMENT.SALE.COMPLETED') return saleOf(resource)
  if (type === 'PAYMENT.SALE.REFUNDED') return reversalOf(resource, 'refund')
  if (type === 'PAYMENT.SALE.REVERSED') return reversalOf(resource, 'reversal')
  if (type.startsWith('CUSTOMER.DISPUTE.')) return disputeOf(resource, at)
  if (!type.startsWith('BILLING.SUBSCRIPTION.')) return { subject: { kind: 'other' }, state: `${idOf(resource)} ${at}` }

  const { id: agreementId, status, status_update_time, update_time, billing_info } = parse(Subscription, resource)
  if (type === 'BILLING.SUBSCRIPTION.PAYMENT.FAILED') {
    const failedAt = billing_info?.last_failed_payment?.time ?? at
    return { subject: { kind: 'payment_failed', agreementId, failedAt }, state: `${agreementId} ${failedAt}` }
  }
  const since = update_time ?? status_update_time ?? at
  return { subject: { kind: 'agreement', agreementId }, state: `${agreementId} ${status ?? ''} ${since}` }
}

function saleOf(resource: unknown): { subject: WebhookSubject; state: string } {
  const { id, billing_agreement_id: agreementId, amount, create_time: soldAt } = parse(Sale, resource)
  // A sale without an agreement was not made by Kinora.
  if (!agreementId) return { subject: { kind: 'other' }, state: id }
  const { currency } = amount
  return {
    subject: { kind: 'sale', sale: { id, agreementId, amountCents: unitsOf(amount), currency, soldAt } },
    state: id,
  }
}

function reversalOf(resource: unknown, reversal: 'refund' | 'reversal'): { subject: WebhookSubject; state: string } {
  const { id, sale_id: saleId = id, amount } = parse(Reversed, resource)
  // Without `sale_id`, the refund's own id would be mistaken for the sale id.
  if (reversal === 'refund' && saleId === id)
    throw new ValidationError([{ path: 'resource.sale_id', code: 'required' }])
  const reversalId = saleId === id ? chargebackIdOf(id) : id
  // Some events contain a negative amount.
  const amountCents = Math.abs(unitsOf(amount))
  return { subject: { kind: 'reversal', saleId, reversalId, amountCents, reversal }, state: reversalId }
}

function disputeOf(resource: unknown, at: string): { subject: WebhookSubject; state: string } {
  const dispute = parse(Dispute, resource)
  const { dispute_id: disputeId, create_time, update_time, status, dispute_outcome, disputed_transactions } = dispute
  const statusAt = update_time ?? create_time ?? at
  const code = status === 'RESOLVED' ? (dispute_outcome?.outcome_code ?? '') : ''
  const outcome = OUTCOMES[code] ?? 'open'
  const saleIds = disputed_transactions.flatMap(({ seller_transaction_id }) => seller_transaction_id ?? [])
  const state = `${disputeId} ${outcome} ${statusAt}`
  if (saleIds.length === 0) return { subject: { kind: 'other' }, state }
  return { subject: { kind: 'dispute', disputeId, saleIds, outcome, statusAt }, state }
}

function unitsOf({ total, currency }: z.infer<typeof Money>): number {
  const units = smallestUnits(total, currency)
  if (units === undefined) throw new ValidationError([{ path: 'resource.amount.total', code: 'invalid' }])
  return units
}

function idOf(resource: unknown): string {
  const parsed = z.safeParse(Identified, resource)
  return parsed.success ? parsed.data.id : ''
}

function parse<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  const parsed = z.safeParse(schema, value)
  if (!parsed.success) throw ValidationError.from(parsed.error)
  return parsed.data
}
