import type { Event } from '../kernel/eventsourcing/pure/decider.ts'

/**
 * The source of a lot. `payment`: a sale that completed after its subscription had ended; its credits never expire.
 * `returned`: released credits whose own lot was no longer open.
 */
export type LotSource = 'free' | 'subscription' | 'payment' | 'adjustment' | 'returned'

/** Credits of one lot. Amounts are whole credits, greater than zero. */
export type LotPart = Readonly<{ lotId: string; amount: number }>

/** Credits were granted. `reference` is the id of the sale that paid for them. */
export type CreditLotGranted = Event<
  'CreditLotGranted',
  {
    userId: string
    lotId: string
    source: LotSource
    amount: number
    expiresAt: string | null
    reference?: string
    reason?: string
    at: string
  }
>
/** Credits were set aside for a task. The hold has the id of the task. */
export type CreditsHeld = Event<
  'CreditsHeld',
  { userId: string; holdId: string; parts: readonly LotPart[]; at: string }
>
/** The task succeeded: the held credits were spent. */
export type CreditsCaptured = Event<'CreditsCaptured', { userId: string; holdId: string; at: string }>
/**
 * The task did not succeed: the held credits returned to their lots. `renewed` is a new lot with the credits of lots that
 * are closed or have expired.
 */
export type CreditsReleased = Event<
  'CreditsReleased',
  {
    userId: string
    holdId: string
    reason: string
    parts: readonly LotPart[]
    renewed: { lotId: string; amount: number; expiresAt: string } | null
    at: string
  }
>
/** The lot was closed and the credits left in it, `amount`, were forfeited. The amount may be zero. */
export type CreditLotClosed = Event<
  'CreditLotClosed',
  { userId: string; lotId: string; amount: number; reason: 'expired' | 'subscription_ended'; at: string }
>
/**
 * The payment for a lot was reversed: its credits were claimed back, from other lots where it had too few. `debt` is the
 * remainder, which the user owes.
 */
export type CreditsReversed = Event<
  'CreditsReversed',
  {
    userId: string
    reversalId: string
    lotId: string
    parts: readonly LotPart[]
    debt: number
    reason: string
    at: string
  }
>
/** New or released credits repaid debt. */
export type CreditDebtRepaid = Event<'CreditDebtRepaid', { userId: string; parts: readonly LotPart[]; at: string }>
/** An operator withdrew credits. */
export type CreditsWithdrawn = Event<
  'CreditsWithdrawn',
  { userId: string; adjustmentId: string; parts: readonly LotPart[]; reason: string; at: string }
>

export type CreditAccountEvent =
  | CreditLotGranted
  | CreditsHeld
  | CreditsCaptured
  | CreditsReleased
  | CreditLotClosed
  | CreditsReversed
  | CreditDebtRepaid
  | CreditsWithdrawn

export const CREDIT_ACCOUNT = 'creditAccount'
