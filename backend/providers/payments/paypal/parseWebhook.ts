import * as z from 'zod/mini'
import { ValidationError } from '#backend/kernel/http/problemDetails.ts'
import {
  chargebackIdOf,
  type PaymentWebhook,
  type WebhookSubject,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { captureOf, Id, Instant, Subscription } from './paypalShapes.ts'

const Event = z.object({ id: Id, event_type: Id, create_time: Instant, resource: z.unknown() })
const Identified = z.object({ id: Id })
const Sale = z.object({ id: Id, billing_agreement_id: z.optional(Id) })
/** A refund or, in some reversal events, the sale itself. */
const Reversed = z.object({ id: Id, sale_id: z.optional(Id) })
const Ordered = z.object({
  id: z.optional(Id),
  order_id: z.optional(Id),
  supplementary_data: z.optional(z.object({ related_ids: z.optional(z.object({ order_id: z.optional(Id) })) })),
})
const Dispute = z.object({ dispute_id: Id, status: z.optional(z.string()), update_time: z.optional(Instant) })

/**
 * Parses an event of PayPal's webhooks API v1: the ids that it names, of which PayPal is then asked. Does not verify its
 * signature.
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
  if (type === 'PAYMENT.CAPTURE.REFUNDED') return reversalOfCapture(resource, type)
  if (type.startsWith('PAYMENT.REFUND.')) return reversalOfCapture(resource, type)
  if (type === 'PAYMENT.CAPTURE.REVERSED') return reversalOfCapture(resource, type)
  if (type.startsWith('PAYMENT.CAPTURE.') || type.startsWith('CHECKOUT.')) return orderOf(type, resource)
  if (type.startsWith('CUSTOMER.DISPUTE.')) return disputeOf(resource, at)
  if (!type.startsWith('BILLING.SUBSCRIPTION.')) return { subject: { kind: 'other' }, state: `${idOf(resource)} ${at}` }

  const { id: agreementId, status, status_update_time, update_time, billing_info } = parse(Subscription, resource)
  if (type === 'BILLING.SUBSCRIPTION.PAYMENT.FAILED') {
    const failedAt = billing_info?.last_failed_payment?.time ?? at
    return { subject: { kind: 'payment_failed', agreementId }, state: `${agreementId} ${failedAt}` }
  }
  const since = update_time ?? status_update_time ?? at
  return { subject: { kind: 'agreement', agreementId }, state: `${agreementId} ${status ?? ''} ${since}` }
}

function saleOf(resource: unknown): { subject: WebhookSubject; state: string } {
  const { id, billing_agreement_id: agreementId } = parse(Sale, resource)
  // A sale without an agreement was not made by Kinora.
  return { subject: agreementId ? { kind: 'sale', sale: { id, agreementId } } : { kind: 'other' }, state: id }
}

function reversalOf(resource: unknown, reversal: 'refund' | 'reversal'): { subject: WebhookSubject; state: string } {
  const { id, sale_id: saleId = id } = parse(Reversed, resource)
  // Without `sale_id`, the refund's own id would be mistaken for the sale id.
  if (reversal === 'refund' && saleId === id)
    throw new ValidationError([{ path: 'resource.sale_id', code: 'required' }])
  const reversalId = saleId === id ? chargebackIdOf(id) : id
  return { subject: { kind: 'reversal', saleId, reversalId, reversal }, state: reversalId }
}

/** A refund of the Payments API v2 links to its capture, which is the sale. */
function reversalOfCapture(resource: unknown, type: string) {
  const reversal = type === 'PAYMENT.CAPTURE.REVERSED' ? 'reversal' : 'refund'
  const { id } = parse(Identified, resource)
  const saleId = captureOf(resource)
  if (saleId === undefined) throw new ValidationError([{ path: 'resource.links', code: 'required' }])
  const reversalId = reversal === 'refund' ? id : chargebackIdOf(saleId)
  return { subject: { kind: 'reversal', saleId, reversalId, reversal }, state: reversalId } as const
}

/** A capture names its order, which is asked about. One without an order was not made by Kinora. */
function orderOf(type: string, resource: unknown): { subject: WebhookSubject; state: string } {
  const { id, order_id, supplementary_data } = parse(Ordered, resource)
  const captured = order_id ?? supplementary_data?.related_ids?.order_id
  const orderId = type === 'CHECKOUT.ORDER.APPROVED' || type === 'CHECKOUT.ORDER.COMPLETED' ? id : captured
  return { subject: orderId ? { kind: 'order', orderId } : { kind: 'other' }, state: id ?? orderId ?? '' }
}

function disputeOf(resource: unknown, at: string): { subject: WebhookSubject; state: string } {
  const { dispute_id: disputeId, status, update_time } = parse(Dispute, resource)
  return { subject: { kind: 'dispute', disputeId }, state: `${disputeId} ${status ?? ''} ${update_time ?? at}` }
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
