import * as z from 'zod/mini'
import { ValidationError } from '#backend/kernel/http/problemDetails.ts'
import type { PaymentWebhook, WebhookSubject } from '#backend/subscriptions/paymentProvider.port.ts'
import { smallestUnits } from './amounts.ts'
import { Id, Instant, Subscription } from './paypalShapes.ts'

const Event = z.object({ id: Id, event_type: Id, create_time: Instant, resource: z.unknown() })
const Identified = z.object({ id: Id })
const Money = z.object({ total: z.string(), currency: z.string().check(z.regex(/^[A-Z]{3}$/)) })
const Sale = z.object({
  id: Id,
  billing_agreement_id: z.optional(Id),
  amount: Money,
  create_time: Instant,
})
/** A refund, or of a reversal at times the sale itself, with the amount that went back. */
const Reversed = z.object({ id: Id, sale_id: z.optional(Id), amount: Money })

/**
 * Reads an event of PayPal's webhooks (v1/notifications). Its signature is not looked at here.
 * @throws ValidationError it is not what PayPal sends
 */
export function parseWebhook(event: unknown): PaymentWebhook {
  const { id, event_type: type, create_time: at, resource } = understood(Event, event)
  const { subject, state } = subjectOf(type, resource, at)
  return { id, type, objectId: `${type} ${state}`, subject }
}

/** `state`: the object's id, and what tells one state of it from another. */
function subjectOf(type: string, resource: unknown, at: string): { subject: WebhookSubject; state: string } {
  if (type === 'PAYMENT.SALE.COMPLETED') return saleOf(resource)
  if (type === 'PAYMENT.SALE.REFUNDED') return reversalOf(resource, 'refund')
  if (type === 'PAYMENT.SALE.REVERSED') return reversalOf(resource, 'reversal')
  if (!type.startsWith('BILLING.SUBSCRIPTION.'))
    return { subject: { kind: 'other' }, state: `${nameOf(resource)} ${at}` }

  const { id: agreementId, status, status_update_time, update_time, billing_info } = understood(Subscription, resource)
  if (type === 'BILLING.SUBSCRIPTION.PAYMENT.FAILED') {
    const failedAt = billing_info?.last_failed_payment?.time ?? at
    return { subject: { kind: 'payment_failed', agreementId, failedAt }, state: `${agreementId} ${failedAt}` }
  }
  const since = update_time ?? status_update_time ?? at
  return { subject: { kind: 'agreement', agreementId }, state: `${agreementId} ${status ?? ''} ${since}` }
}

function saleOf(resource: unknown): { subject: WebhookSubject; state: string } {
  const { id, billing_agreement_id: agreementId, amount, create_time: soldAt } = understood(Sale, resource)
  // A sale outside of any agreement is not one of ours.
  if (!agreementId) return { subject: { kind: 'other' }, state: id }
  const { currency } = amount
  return {
    subject: { kind: 'sale', sale: { id, agreementId, amountCents: unitsOf(amount), currency, soldAt } },
    state: id,
  }
}

function reversalOf(resource: unknown, reversal: 'refund' | 'reversal'): { subject: WebhookSubject; state: string } {
  const { id, sale_id: saleId = id, amount } = understood(Reversed, resource)
  // A refund without its sale could only be taken for a sale of the refund's own id.
  if (reversal === 'refund' && saleId === id)
    throw new ValidationError([{ path: 'resource.sale_id', code: 'required' }])
  const reversalId = saleId === id ? `${id} reversed` : id
  // What went back is written as a negative amount in some events.
  const amountCents = Math.abs(unitsOf(amount))
  return { subject: { kind: 'reversal', saleId, reversalId, amountCents, reversal }, state: reversalId }
}

function unitsOf({ total, currency }: z.infer<typeof Money>): number {
  const units = smallestUnits(total, currency)
  if (units === undefined) throw new ValidationError([{ path: 'resource.amount.total', code: 'invalid' }])
  return units
}

function nameOf(resource: unknown): string {
  const parsed = z.safeParse(Identified, resource)
  return parsed.success ? parsed.data.id : ''
}

function understood<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  const parsed = z.safeParse(schema, value)
  if (!parsed.success) throw ValidationError.from(parsed.error)
  return parsed.data
}
