import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { Tier } from './plans.contract.ts'

export type PaidTier = Exclude<Tier, 'free'>

/**
 * Why an agreement ended. `replaced`: another plan took over. Before it started: `withdrawn` by the user, `declined` at the
 * provider, or `not_approved` in time.
 */
export type EndCause =
  | 'period_end'
  | 'cancelled'
  | 'replaced'
  | 'withdrawn'
  | 'not_approved'
  | 'declined'
  | 'unpaid'
  | 'expired'

type About = { userId: string; agreementId: string; at: string }

/**
 * An agreement was created at the payment provider and awaits the buyer's approval. `agreementId` is the provider's id.
 * `startsAt`: when it replaces the current agreement; null: on approval. Prices are integer cents.
 */
export type SubscriptionRequested = Event<
  'SubscriptionRequested',
  About & { tier: PaidTier; priceCents: number; currency: string; startsAt: string | null }
>
/** The buyer approved an agreement that starts when the current period ends. */
export type SubscriptionScheduled = Event<
  'SubscriptionScheduled',
  About & { tier: PaidTier; startsAt: string; statusAt: string | null }
>
/** The agreement started: the user has its plan. */
export type SubscriptionActivated = Event<
  'SubscriptionActivated',
  About & {
    tier: PaidTier
    trial: boolean
    priceCents: number
    currency: string
    periodEnd: string | null
    statusAt: string | null
  }
>
/** A sale completed. Only this event grants credits. `periodStart` is the time of the sale. */
export type SubscriptionPaid = Event<
  'SubscriptionPaid',
  About & {
    tier: PaidTier
    saleId: string
    amountCents: number
    currency: string
    credits: number
    periodStart: string
    periodEnd: string
    /** The sale completed after the agreement ended. Its credits are never forfeited. */
    afterEnd: boolean
  }
>
/** The amount or currency of a sale differs from the agreement. No credits are granted; the operator must resolve it. */
export type SubscriptionSaleMismatched = Event<
  'SubscriptionSaleMismatched',
  About & { saleId: string; amountCents: number; currency: string }
>
/** A payment failed. The plan stays active until `graceUntil`. */
export type SubscriptionPaymentFailed = Event<
  'SubscriptionPaymentFailed',
  About & { failedAt: string; graceUntil: string }
>
/**
 * The plan is suspended until a payment succeeds. `statusAt`, also in later events: when the status changed at the provider;
 * null if the change originated here.
 */
export type SubscriptionSuspended = Event<
  'SubscriptionSuspended',
  About & { cause: 'unpaid' | 'provider'; statusAt: string | null }
>
/** A payment succeeded (`statusAt` null), or the provider resumed billing. */
export type SubscriptionResumed = Event<'SubscriptionResumed', About & { statusAt: string | null }>
/** The agreement ends with its period. `final`: it has ended at the provider and cannot be reactivated. */
export type SubscriptionCancelled = Event<
  'SubscriptionCancelled',
  About & { encryptedReason: string | null; endsAt: string | null; final: boolean }
>
/** Billing of a cancelled agreement is to be paused (`statusAt` null), or the provider confirmed the pause. */
export type SubscriptionPaused = Event<'SubscriptionPaused', About & { statusAt: string | null }>
/** The user withdrew the cancellation. */
export type SubscriptionReactivated = Event<'SubscriptionReactivated', About>
/** The agreement ended. `replacedBy`: the agreement that took over its plan and credits. */
export type SubscriptionEnded = Event<'SubscriptionEnded', About & { cause: EndCause; replacedBy: string | null }>
/** An ended agreement has also ended at the provider: it can never be billed again. */
export type SubscriptionClosed = Event<'SubscriptionClosed', About>
/** A sale was refunded or reversed: `credits` of its lot are claimed. */
export type SubscriptionSaleReversed = Event<
  'SubscriptionSaleReversed',
  About & { saleId: string; reversalId: string; kind: 'refund' | 'reversal'; amountCents: number; credits: number }
>

export type SubscriptionEvent =
  | SubscriptionRequested
  | SubscriptionScheduled
  | SubscriptionActivated
  | SubscriptionPaid
  | SubscriptionSaleMismatched
  | SubscriptionPaymentFailed
  | SubscriptionSuspended
  | SubscriptionResumed
  | SubscriptionCancelled
  | SubscriptionPaused
  | SubscriptionReactivated
  | SubscriptionEnded
  | SubscriptionClosed
  | SubscriptionSaleReversed

export const SUBSCRIPTION = 'subscription'
