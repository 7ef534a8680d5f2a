import type { Event } from '../kernel/eventsourcing/pure/decider.ts'

/**
 * The source of a lot. `payment`: a sale that completed after its subscription had ended; its credits never expire.
 * `returned`: released credits whose own lot was no longer open.
 */
export type LotSource = 'free' | 'subscription' | 'payment' | 'adjustment' | 'returned'

/** Credits of one lot. Amounts are whole credits, greater than zero. */
export type LotPart = Readonly<{ lotId: string; amount: number }>

/** The data of each event, besides the user and the time. */
interface Data {
  /** Credits were granted. `reference` is the id of the sale that paid for them. */
  CreditLotGranted: {
    lotId: string
    source: LotSource
    amount: number
    expiresAt: string | null
    reference?: string
    reason?: string
  }
  /** Credits were set aside for a task. The hold has the id of the task. */
  CreditsHeld: { holdId: string; parts: readonly LotPart[] }
  /** The task succeeded: the held credits were spent. */
  CreditsCaptured: { holdId: string }
  /**
   * The task did not succeed: the held credits returned to their lots. `renewed` is a new lot with the credits of lots that
   * are closed or have expired.
   */
  CreditsReleased: {
    holdId: string
    reason: string
    parts: readonly LotPart[]
    renewed: { lotId: string; amount: number; expiresAt: string } | null
  }
  /** The lot was closed and the credits left in it, `amount`, were forfeited. The amount may be zero. */
  CreditLotClosed: { lotId: string; amount: number; reason: 'expired' | 'subscription_ended' }
  /**
   * The payment for a lot was reversed: its credits were claimed back, from other lots where it had too few. `debt` is the
   * remainder, which the user owes.
   */
  CreditsReversed: { reversalId: string; lotId: string; parts: readonly LotPart[]; debt: number; reason: string }
  /** New or released credits repaid debt. */
  CreditDebtRepaid: { parts: readonly LotPart[] }
  /** An operator withdrew credits. */
  CreditsWithdrawn: { adjustmentId: string; parts: readonly LotPart[]; reason: string }
}

/** An event of a credit account: of one of the types `T`, by default of any. */
export type CreditAccountEvent<T extends keyof Data = keyof Data> = {
  [K in T]: Event<K, { userId: string; at: string } & Data[K]>
}[T]

export const CREDIT_ACCOUNT = 'creditAccount'
