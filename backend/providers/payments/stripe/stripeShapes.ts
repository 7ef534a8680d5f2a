import * as z from 'zod/mini'

/** The fields of Stripe's objects that Kinora uses, in answers and webhooks. */

export const Id = z.string().check(z.minLength(1), z.maxLength(255))

/** Epoch seconds as an ISO timestamp with milliseconds. */
const Instant = z.pipe(
  z.number(),
  z.transform((seconds: number) => new Date(seconds * 1000).toISOString()),
)
const isoOrNull = z._default(z.nullable(Instant), null)

/** The id of an object that is named, or expanded. */
const Ref = z.pipe(
  z.union([Id, z.object({ id: Id })]),
  z.transform((named) => (typeof named === 'string' ? named : named.id)),
)
const refOrNull = z._default(z.nullable(Ref), null)

const Metadata = z._default(z.nullable(z.record(z.string(), z.string())), {})

export const Subscription = z.object({
  id: Id,
  status: z.string(),
  created: Instant,
  canceled_at: isoOrNull,
  ended_at: isoOrNull,
  cancel_at: isoOrNull,
  cancel_at_period_end: z.boolean(),
  customer: Ref,
  default_payment_method: refOrNull,
  metadata: Metadata,
  items: z.object({ data: z.array(z.object({ current_period_end: Instant })) }),
})
export type Subscription = z.infer<typeof Subscription>

/** A movement of the seller's balance, in the currency that it is kept in. */
const BalanceTransaction = z.object({ id: Id, fee: z.int(), currency: z.string() })

export const Charge = z.object({
  id: Id,
  created: Instant,
  status: z.string(),
  amount: z.int(),
  amount_refunded: z.int(),
  refunded: z.boolean(),
  disputed: z.boolean(),
  payment_intent: refOrNull,
  currency: z.string(),
  /** Null until Stripe has booked the charge, which can be an hour later. */
  balance_transaction: z.nullish(z.union([Id, BalanceTransaction])),
})

/** Returns Stripe's fee; undefined if it is not booked yet, or in another currency than the charge. */
export const feeOf = ({ currency, balance_transaction: booked }: z.infer<typeof Charge>): number | undefined =>
  booked && typeof booked !== 'string' && booked.currency === currency ? booked.fee : undefined

const Intent = z.object({ id: Id, created: Instant, latest_charge: z.nullable(z.union([Id, Charge])) })

export const Session = z.object({
  id: Id,
  status: z.nullable(z.string()),
  mode: z.string(),
  created: Instant,
  payment_status: z.string(),
  url: z.nullable(z.string()),
  client_reference_id: z.nullable(z.string()),
  amount_total: z.nullable(z.int()),
  currency: z.nullable(z.string()),
  subscription: z.nullable(z.union([Id, Subscription])),
  payment_intent: z.nullable(z.union([Id, Intent])),
})
export type Session = z.infer<typeof Session>

const Payment = z.object({
  status: z.string(),
  payment: z.object({ payment_intent: refOrNull }),
})

export const Invoice = z.object({
  id: Id,
  amount_paid: z.int(),
  currency: z.string(),
  hosted_invoice_url: z.optional(z.nullable(z.string())),
  status_transitions: z.object({ finalized_at: isoOrNull, paid_at: isoOrNull }),
  payments: z.optional(z.object({ data: z.array(Payment) })),
})

export const Refund = z.object({
  id: Id,
  amount: z.int(),
  status: z.nullable(z.string()),
  payment_intent: refOrNull,
  metadata: Metadata,
})
export type Refund = z.infer<typeof Refund>

export const Dispute = z.object({
  id: Id,
  amount: z.int(),
  status: z.string(),
  created: Instant,
  payment_intent: refOrNull,
  balance_transactions: z.array(z.object({ created: Instant })),
  evidence_details: z.optional(z.object({ due_by: z.nullish(Instant) })),
})
export type Dispute = z.infer<typeof Dispute>

export const FraudWarning = z.object({ id: Id, actionable: z.boolean(), payment_intent: refOrNull })

export const PortalSession = z.object({ url: z.string() })
