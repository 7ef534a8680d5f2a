import type { Event } from '../kernel/eventsourcing/pure/decider.ts'

/**
 * Where credits came from. `payment`: a sale after its subscription's end; they stay. `returned`: held in a lot that was
 * closed meanwhile, and given back in one of their own.
 */
export type LotSource = 'free' | 'subscription' | 'payment' | 'adjustment' | 'returned'

/** Credits of one lot; amounts are whole credits, always above zero. */
export interface LotPart {
  readonly lotId: string
  readonly amount: number
}

/** Credits that came together. `reference` names what backs them: the sale of a subscription lot. */
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
/** Credits set aside for one task. The hold's id is the task's. */
export type CreditsHeld = Event<
  'CreditsHeld',
  { userId: string; holdId: string; parts: readonly LotPart[]; at: string }
>
/** The task succeeded: the held credits are spent. */
export type CreditsCaptured = Event<'CreditsCaptured', { userId: string; holdId: string; at: string }>
/**
 * The task came to nothing: the held credits go back to the lots they came from. What came from a lot that was closed
 * meanwhile, or has expired, goes into a new one.
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
/** Nothing more is taken from or given back to the lot; what was left in it (zero or more) is forfeited. */
export type CreditLotClosed = Event<
  'CreditLotClosed',
  { userId: string; lotId: string; amount: number; reason: 'expired' | 'subscription_ended'; at: string }
>
/** The money for a lot went back: its credits are taken, from other lots where it has too few. What is missing is owed. */
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
/** Credits that came while some were owed settle the debt first. */
export type CreditDebtRepaid = Event<'CreditDebtRepaid', { userId: string; parts: readonly LotPart[]; at: string }>
/** An operator took credits away. */
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
