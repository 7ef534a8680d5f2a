import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { Tier } from './plans.contract.ts'

export type PaidTier = Exclude<Tier, 'free'>

/** Why an agreement is over. `replaced`: by one with another plan. `withdrawn`, `declined`: before it began, by us or there. */
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
 * An agreement was opened at the payment provider, under its id there, and waits for the buyer. `startsAt`: when it takes
 * over from the present one; null: at once. Prices are integer cents.
 */
export type SubscriptionRequested = Event<
  'SubscriptionRequested',
  About & { tier: PaidTier; priceCents: number; currency: string; startsAt: string | null }
>
/** The buyer approved an agreement that begins when the present period ends. */
export type SubscriptionScheduled = Event<
  'SubscriptionScheduled',
  About & { tier: PaidTier; startsAt: string; statusAt: string | null }
>
/** The agreement runs; the user has its plan. */
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
/** A sale was completed: the only thing that credits are granted for. `periodStart` is the sale's own time. */
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
    /** The sale came after the agreement's end: its credits stay, whatever becomes of subscriptions. */
    afterEnd: boolean
  }
>
/** A sale of another amount or currency than agreed: nothing is granted, and the operator must look. */
export type SubscriptionSaleMismatched = Event<
  'SubscriptionSaleMismatched',
  About & { saleId: string; amountCents: number; currency: string }
>
/** The plan stays until `graceUntil`. */
export type SubscriptionPaymentFailed = Event<
  'SubscriptionPaymentFailed',
  About & { failedAt: string; graceUntil: string }
>
/** The plan rests until a payment succeeds. `statusAt`, here and below: when the provider changed its status; null: we did. */
export type SubscriptionSuspended = Event<
  'SubscriptionSuspended',
  About & { cause: 'unpaid' | 'provider'; statusAt: string | null }
>
/** A payment succeeded (`statusAt` null), or the provider bills again. */
export type SubscriptionResumed = Event<'SubscriptionResumed', About & { statusAt: string | null }>
/** It will end with its period. `final`: the provider has ended it already, so that it cannot be reactivated. */
export type SubscriptionCancelled = Event<
  'SubscriptionCancelled',
  About & { encryptedReason: string | null; endsAt: string | null; final: boolean }
>
/** The provider is to bill a cancelled agreement no more for now (`statusAt` null), or has said that it does not. */
export type SubscriptionPaused = Event<'SubscriptionPaused', About & { statusAt: string | null }>
/** The cancellation was taken back. */
export type SubscriptionReactivated = Event<'SubscriptionReactivated', About>
/** `replacedBy`: the agreement that took over, and with it the credits. */
export type SubscriptionEnded = Event<'SubscriptionEnded', About & { cause: EndCause; replacedBy: string | null }>
/** The provider, too, has ended an agreement that is over: it can never bill again. */
export type SubscriptionClosed = Event<'SubscriptionClosed', About>
/** Money of a sale went back to the buyer: `credits` of its lot are claimed. */
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
