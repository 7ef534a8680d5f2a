import type { Event } from '../eventsourcing/decider.ts'

/** Where credits came from. */
export type LotSource = 'free' | 'subscription' | 'adjustment'

/** Credits of one lot; amounts are whole credits, always above zero. */
export interface LotPart {
  readonly lotId: string
  readonly amount: number
}

export type CreditLotGranted = Event<
  'CreditLotGranted',
  { userId: string; lotId: string; source: LotSource; amount: number; expiresAt: string | null; at: string }
>
/** Credits set aside for one task. The hold's id is the task's. */
export type CreditsHeld = Event<
  'CreditsHeld',
  { userId: string; holdId: string; parts: readonly LotPart[]; at: string }
>
/** The task succeeded: the held credits are spent. */
export type CreditsCaptured = Event<'CreditsCaptured', { userId: string; holdId: string; at: string }>
/** The task came to nothing: the held credits go back to the lots they came from. */
export type CreditsReleased = Event<'CreditsReleased', { userId: string; holdId: string; reason: string; at: string }>

export type CreditAccountEvent = CreditLotGranted | CreditsHeld | CreditsCaptured | CreditsReleased

export const CREDIT_ACCOUNT = 'creditAccount'
