import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod/mini'
import { ValidationError } from '#backend/kernel/http/problemDetails.ts'
import {
  chargebackIdOf,
  type PaymentWebhook,
  type SignedWebhook,
  type WebhookSubject,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { UNFINISHED } from './reversals.ts'
import { STRIPE_VERSION } from './stripeApi.ts'
import { Id } from './stripeShapes.ts'

/** Stripe signs each delivery again, so an old signature is a replayed one, and an early one is forged ahead. */
const TOLERANCE_SECONDS = 300

/**
 * Verifies the signature of a webhook, without asking Stripe. While a secret is rolled, a webhook has two signatures.
 * @throws ValidationError if the signature is valid, but the body is malformed
 */
export function verifyWebhook(
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: Buffer,
  now: number,
): SignedWebhook | undefined {
  const parts = (headers['stripe-signature'] ?? '').split(',').map((part) => part.trim().split('='))
  const valuesOf = (name: string) => parts.filter(([key]) => key === name).map(([, value = '']) => value)
  const [time = ''] = valuesOf('t')
  const isTimely = Math.abs(now / 1000 - Number(time)) <= TOLERANCE_SECONDS
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest()
  const isValid = valuesOf('v1').some((signature) => {
    const given = Buffer.from(signature, 'hex')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isTimely || !isValid) return undefined
  const webhook = parseWebhook(parseJson(body))
  return { ...webhook, transmissionId: `${webhook.id} ${time}` }
}

const Event = z.object({
  id: Id,
  type: Id,
  created: z.int(),
  api_version: z.nullable(z.string()),
  data: z.object({ object: z.looseObject({ id: z.optional(Id) }) }),
})

const nullableId = z.optional(z.nullable(Id))
const CheckoutSession = z.object({ id: Id, mode: z.string(), payment_status: z.string() })
const OfIntent = z.object({ id: Id, payment_intent: nullableId, status: z.optional(z.nullable(z.string())) })
const Invoice = z.object({
  id: Id,
  attempt_count: z.optional(z.int()),
  parent: z.nullable(z.object({ subscription_details: z.optional(z.nullable(z.object({ subscription: Id }))) })),
})
const Subscription = z.object({
  id: Id,
  status: z.string(),
  cancel_at_period_end: z.boolean(),
  metadata: z.nullable(z.record(z.string(), z.string())),
})

/** Returns the part of a version that changes with the shapes: `endive` of `2026-10-28.endive`. */
const releaseOf = (version: string | null) => version?.split('.')[1]

/**
 * Parses an event: the ids that it names, about which Stripe is then asked.
 * @throws ValidationError if it is not an event, or has the shapes of another version of the API
 */
function parseWebhook(event: unknown): PaymentWebhook {
  const { id, type, created, api_version, data } = parse(Event, event)
  if (releaseOf(api_version) !== releaseOf(STRIPE_VERSION))
    throw new ValidationError([{ path: 'api_version', code: 'unsupported' }])
  const { subject, state } = subjectOf(type, data.object)
  // One object can pass through the same state again, at another time.
  return { id, type, objectId: `${type} ${data.object.id ?? ''} ${state} ${created}`, subject }
}

type Subject = Readonly<{ subject: WebhookSubject; state: string }>
const OTHER: Subject = { subject: { kind: 'other' }, state: '' }

function subjectOf(type: string, object: unknown): Subject {
  if (type.startsWith('checkout.session.')) return sessionSubject(object)
  if (type.startsWith('customer.subscription.')) return subscriptionSubject(object)
  if (/^invoice\.(paid|payment_failed|payment_action_required)$/.test(type)) return invoiceSubject(type, object)
  if (type.startsWith('refund.') || type === 'charge.refunded') return refundSubject(object)
  if (type === 'charge.dispute.funds_withdrawn') return chargebackSubject(object)
  if (type.startsWith('charge.dispute.')) {
    const { id: disputeId, status } = parse(OfIntent, object)
    return { subject: { kind: 'dispute', disputeId }, state: status ?? '' }
  }
  if (type === 'radar.early_fraud_warning.created')
    return { subject: { kind: 'fraud_warning', warningId: parse(OfIntent, object).id }, state: '' }
  return OTHER
}

function sessionSubject(object: unknown): Subject {
  const { id, mode, payment_status: state } = parse(CheckoutSession, object)
  if (mode === 'payment') return { subject: { kind: 'order', orderId: id }, state }
  return mode === 'subscription' ? { subject: { kind: 'agreement', agreementId: id }, state } : OTHER
}

function subscriptionSubject(object: unknown): Subject {
  const { id: agreementId, status, cancel_at_period_end, metadata } = parse(Subscription, object)
  const state = `${status} ${cancel_at_period_end} ${metadata?.status_at ?? ''}`
  return { subject: { kind: 'agreement', agreementId }, state }
}

/** An invoice without a subscription was not made by Kinora. */
function invoiceSubject(type: string, object: unknown): Subject {
  const { attempt_count, parent } = parse(Invoice, object)
  const agreementId = parent?.subscription_details?.subscription
  const kind = type === 'invoice.paid' ? 'agreement' : 'payment_failed'
  return agreementId ? { subject: { kind, agreementId }, state: `${attempt_count ?? ''}` } : OTHER
}

/** A refund that is pending is reported again when it is not. A charge names no refund: its newest is asked for. */
function refundSubject(object: unknown): Subject {
  const { id: reversalId, payment_intent: saleId, status } = parse(OfIntent, object)
  if (!saleId || UNFINISHED.includes(status ?? null)) return OTHER
  return { subject: { kind: 'reversal', saleId, reversalId, reversal: 'refund' }, state: status ?? '' }
}

function chargebackSubject(object: unknown): Subject {
  const { payment_intent: saleId } = parse(OfIntent, object)
  if (!saleId) return OTHER
  const reversalId = chargebackIdOf(saleId)
  return { subject: { kind: 'reversal', saleId, reversalId, reversal: 'reversal' }, state: '' }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ValidationError([{ path: '', code: 'not_json' }])
  }
}

function parse<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  const parsed = z.safeParse(schema, value)
  if (!parsed.success) throw ValidationError.from(parsed.error)
  return parsed.data
}
