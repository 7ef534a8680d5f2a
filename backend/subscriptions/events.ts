import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import type { Tier } from './plans.contract.ts'

export type PaidTier = Exclude<Tier, 'free'>

/**
 * Reason why an agreement ended. `replaced`: another plan took over. `refunded`: its latest sale was taken back whole while
 * one of the plan that it replaced still paid for time, so the credits stay. An agreement that never started was `withdrawn` when
 * the user cancelled, reactivated or started another plan, `declined` at the provider or `not_approved` in time.
 */
export type EndCause =
  | 'period_end'
  | 'cancelled'
  | 'replaced'
  | 'refunded'
  | 'withdrawn'
  | 'not_approved'
  | 'declined'
  | 'unpaid'
  | 'expired'

export type DisputeOutcome = 'open' | 'won' | 'lost'

/** `agreementId`: the provider's id of the agreement or, in events about a pack of credits, of its order. */
type About = { userId: string; agreementId: string; at: string }

/** Data of each event, in addition to {@link About}. */
interface Data {
  /**
   * An agreement was created at the payment provider and awaits the buyer's approval. `agreementId` is the provider's
   * id. It replaces the current agreement at `startsAt`, or on approval if that is null. Prices are integer cents.
   * `provider`: the payment provider; PayPal if it is missing.
   */
  SubscriptionRequested: {
    provider?: string
    tier: PaidTier
    priceCents: number
    currency: string
    startsAt: string | null
    /** Version of the text by which the buyer asked to begin before the time to withdraw ends. */
    consent?: string
  }
  /** An approved agreement starts when the current period ends. Appended again if that period is renewed. */
  SubscriptionScheduled: { tier: PaidTier; startsAt: string; statusAt: string | null }
  /** The agreement started, and the user is on its plan. */
  SubscriptionActivated: {
    tier: PaidTier
    trial: boolean
    priceCents: number
    currency: string
    periodEnd: string | null
    statusAt: string | null
  }
  /**
   * A sale completed. Only this event grants credits. `periodStart` is the time of the sale. `feeCents`: what the payment provider
   * kept for itself; missing if it has not told that.
   */
  SubscriptionPaid: {
    tier: PaidTier
    saleId: string
    amountCents: number
    feeCents?: number
    currency: string
    credits: number
    periodStart: string
    periodEnd: string
    /** The sale completed after the agreement ended, or was reported after the plan ended. Its credits are never forfeited. */
    afterEnd: boolean
  }
  /**
   * A sale should be refunded. `duplicate`: another plan, requested beside this one, was approved after it. `cancelled`: the user
   * ended the plan soon after the payment, so the unused share is owed. `withdrawn`: the buyer withdrew from the contract. By default, the sale completed after its plan had ended. Kinora refunds an `automatic` one if none of its credits were used, otherwise
   * the operator decides.
   */
  SubscriptionRefundProposed: {
    saleId: string
    amountCents: number
    currency: string
    cause?: 'duplicate' | 'cancelled' | 'withdrawn'
    automatic?: true
  }
  /** The buyer withdrew from the contract of a sale, having used some of its credits. The rest of its amount is owed. */
  SubscriptionWithdrawn: { saleId: string; usedCredits: number; proposedCents: number; currency: string }
  /**
   * The amount or currency of a sale differs from the agreement or order, or the order was paid already. It grants no
   * credits, and the operator should refund it.
   */
  SubscriptionSaleMismatched: {
    saleId: string
    amountCents: number
    feeCents?: number
    currency: string
    /** Plan and period, or pack, that the sale was intended to pay for. */
    intended: { tier: PaidTier; periodStart: string; periodEnd: string } | { pack: string; soldAt: string }
  }
  /** A payment failed. The plan stays active until `graceUntil`. */
  SubscriptionPaymentFailed: { failedAt: string; graceUntil: string }
  /**
   * The plan is suspended until a payment succeeds. In every event, `statusAt` is the time of the status change at the
   * provider; null if the change originated here.
   */
  SubscriptionSuspended: { cause: 'unpaid' | 'provider'; statusAt: string | null }
  /** A payment succeeded (`statusAt` null), or the provider resumed billing. */
  SubscriptionResumed: { statusAt: string | null }
  /** The agreement ends with its period. `final`: it has ended at the provider and cannot be reactivated. */
  SubscriptionCancelled: { encryptedReason: string | null; endsAt: string | null; final: boolean }
  /** Pausing a cancelled agreement's billing was requested (`statusAt` null) or confirmed by the provider. */
  SubscriptionPaused: { statusAt: string | null }
  /** The user withdrew the cancellation. */
  SubscriptionReactivated: object
  /** The agreement ended. `replacedBy`: the agreement that took over its plan and credits. */
  SubscriptionEnded: { cause: EndCause; replacedBy: string | null }
  /** An ended agreement has also ended at the provider: it can never be billed again. */
  SubscriptionClosed: object
  /**
   * A sale was refunded or reversed: further `credits` of its lot are claimed back, in proportion to all that was taken
   * back so far. `amountCents` is the amount as reported; a chargeback after a refund reports the whole sale.
   */
  SubscriptionSaleReversed: {
    saleId: string
    reversalId: string
    kind: 'refund' | 'reversal'
    amountCents: number
    /** The part of `amountCents` that no earlier reversal of the sale covers. */
    takenCents: number
    credits: number
    /** The provider lists the sale as taken back, but not how: it stands for refunds that are reported later, or fail. */
    assumed?: true
  }
  /** A dispute about a sale was opened or resolved, in effect since `statusAt`. `won`: the seller keeps the money. */
  SubscriptionSaleDisputed: {
    saleId: string
    disputeId: string
    outcome: DisputeOutcome
    statusAt: string
    /** When the seller's answer is due. */
    dueAt?: string
  }
  /**
   * Money that was taken back for a sale stays after all: `credits` that were claimed for it are given back. `reversalId`: the
   * refund, which failed; by default, a dispute was won.
   */
  SubscriptionSaleRestored: {
    saleId: string
    restorationId: string
    amountCents: number
    credits: number
    reversalId?: string
  }
  /** The payment provider told only now what it kept of a sale. */
  SubscriptionSaleFeeReported: { saleId: string; feeCents: number }
  /** A pack of credits was ordered at a payment provider and awaits the buyer's payment. */
  PackRequested: {
    provider: string
    pack: string
    amountCents: number
    currency: string
    credits: number
    /** As in `SubscriptionRequested`. */
    consent?: string
  }
  /** The order of a pack was paid. The sale grants its credits, which never expire. `late`: after the order lapsed. */
  PackPaid: {
    pack: string
    saleId: string
    amountCents: number
    feeCents?: number
    currency: string
    credits: number
    soldAt: string
    late?: true
  }
  /**
   * The order of a pack was not paid in time. One that is paid after all grants its credits, unless it was `abandoned`: its account
   * was deleted.
   */
  PackLapsed: { abandoned?: true }
  /** The buyer approved a lapsed order, whose money is about to be taken. */
  PackReopened: object
}

/** A subscription event of one of the types `T`; of any type by default. */
export type SubscriptionEvent<T extends keyof Data = keyof Data> = { [K in T]: Event<K, About & Data[K]> }[T]

export const SUBSCRIPTION = 'subscription'

export const SUBSCRIPTION_EVENTS: EventSchemas<SubscriptionEvent['type']> = {
  SubscriptionRequested: [],
  SubscriptionScheduled: [],
  SubscriptionActivated: [],
  SubscriptionPaid: [],
  SubscriptionRefundProposed: [],
  SubscriptionWithdrawn: [],
  SubscriptionSaleMismatched: [],
  SubscriptionPaymentFailed: [],
  SubscriptionSuspended: [],
  SubscriptionResumed: [],
  SubscriptionCancelled: [],
  SubscriptionPaused: [],
  SubscriptionReactivated: [],
  SubscriptionEnded: [],
  SubscriptionClosed: [],
  SubscriptionSaleReversed: [],
  SubscriptionSaleDisputed: [],
  SubscriptionSaleRestored: [],
  SubscriptionSaleFeeReported: [],
  PackRequested: [],
  PackPaid: [],
  PackLapsed: [],
  PackReopened: [],
}
