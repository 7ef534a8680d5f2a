import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'

/**
 * The source of a lot. `allowance`: the monthly credits of an installation without plans. `payment`: a sale that completed
 * after its subscription had ended; its credits never expire. `pack`: a sale of credits that never expire. `code`: a code
 * that was redeemed. `returned`: credits of a task that failed, whose original lot was no longer open.
 */
export type LotSource = 'free' | 'allowance' | 'subscription' | 'payment' | 'pack' | 'code' | 'adjustment' | 'returned'

/** Credits of one lot. Amounts are whole credits, greater than zero. */
export type LotPart = Readonly<{ lotId: string; amount: number }>

/** The API key that a hold was made with, and its limits at that time, in credits for each day and month (UTC). */
export type KeyLimits = Readonly<{ id: string; perDay?: number; perMonth?: number }>

/** A member of the account owner's team, and the credits that the member may spend in a month (UTC); null: no limit. */
export type Spender = Readonly<{ id: string; perMonth: number | null }>

/** `refund`: none of the lot's credits were used, and its sale is about to be refunded. */
export type CloseReason = 'expired' | 'subscription_ended' | 'refund'

/** Data of each event, in addition to the user and the time. */
interface Data {
  /** Credits were granted. `reference` is the id of the sale that paid for them, or of the code. */
  CreditLotGranted: {
    lotId: string
    source: LotSource
    amount: number
    expiresAt: string | null
    reference?: string
    reason?: string
    /** Signature of the operator who granted the lot; missing in other lots. */
    signature?: string
    /** The operator's action that ordered the grant; missing in other lots. */
    action?: string
  }
  /**
   * Credits were set aside for a task. The hold's id is the task's id. `key` is missing if a session ordered the task, and
   * `spentBy`, the member who ordered it, if the account's owner did.
   */
  CreditsHeld: { holdId: string; parts: readonly LotPart[]; key?: KeyLimits; spentBy?: string }
  /**
   * Who else may spend from now on: the members of the owner's team after the event `revision` of its stream. Replaces the
   * former ones. See docs/decisions/0082-teams.md.
   */
  SpendersSet: { teamId: string; revision: number; spenders: readonly Spender[] }
  /** The task succeeded: the held credits were spent. */
  CreditsCaptured: { holdId: string }
  /**
   * The task did not succeed: the held credits returned to their lots. Credits whose lot is closed or has expired are
   * in the new lot `renewed`, or `forfeited` with their lot.
   */
  CreditsReleased: {
    holdId: string
    reason: string
    parts: readonly LotPart[]
    renewed: { lotId: string; amount: number; expiresAt: string } | null
    forfeited?: readonly LotPart[]
    /** As in the hold. */
    spentBy?: string
  }
  /** The lot was closed and its remaining credits were forfeited. `amount` may be zero. */
  CreditLotClosed: { lotId: string; amount: number; reason: CloseReason }
  /**
   * The payment for a lot was reversed: its credits were claimed back, if necessary from other lots. `debt` is the
   * number of credits that the user still owes.
   */
  CreditsReversed: { reversalId: string; lotId: string; parts: readonly LotPart[]; debt: number; reason: string }
  /**
   * A dispute was won: credits that were claimed back for a lot return to it, or to a new lot that never expires if the
   * lot is closed.
   */
  CreditsRestored: { restorationId: string; lotId: string; amount: number; newLotId: string | null }
  /** New or released credits repaid debt. */
  CreditDebtRepaid: { parts: readonly LotPart[] }
  /** An operator withdrew credits. `action`: the operator's action that ordered it. */
  CreditsWithdrawn: {
    adjustmentId: string
    parts: readonly LotPart[]
    reason: string
    signature?: string
    action?: string
  }
}

/** A credit account event of one of the types `T`; of any type by default. */
export type CreditAccountEvent<T extends keyof Data = keyof Data> = {
  [K in T]: Event<K, { userId: string; at: string } & Data[K]>
}[T]

export const CREDIT_ACCOUNT = 'creditAccount'

export const CREDIT_ACCOUNT_EVENTS: EventSchemas<CreditAccountEvent['type']> = {
  CreditLotGranted: [],
  CreditsHeld: [],
  SpendersSet: [],
  CreditsCaptured: [],
  CreditsReleased: [],
  CreditLotClosed: [],
  CreditsReversed: [],
  CreditsRestored: [],
  CreditDebtRepaid: [],
  CreditsWithdrawn: [],
}
