import type { PaidTier } from './events.ts'

type Command<T extends string, D extends object = object> = Readonly<{ type: T; userId: string; at: string } & D>

/** The provider has opened an agreement: it waits for the buyer. `startsAt`: when it takes over; null: at once. */
export type RequestSubscription = Command<
  'RequestSubscription',
  { agreementId: string; tier: PaidTier; priceCents: number; currency: string; startsAt: string | null }
>
/** What the provider says of an agreement now. `statusAt`: since when; `periodEnd`: its next billing time. */
export type ReportStatus = Command<
  'ReportStatus',
  {
    agreementId: string
    status: 'pending' | 'active' | 'suspended' | 'cancelled' | 'expired'
    statusAt: string
    trial: boolean
    periodEnd: string | null
  }
>
/** A completed sale. `credits`: what the agreement's plan gives for it; `periodEnd`: until when it pays. */
export type ReportSale = Command<
  'ReportSale',
  {
    agreementId: string
    saleId: string
    amountCents: number
    currency: string
    credits: number
    soldAt: string
    periodEnd: string
  }
>
export type ReportPaymentFailed = Command<
  'ReportPaymentFailed',
  { agreementId: string; failedAt: string; graceUntil: string }
>
export type ReportReversal = Command<
  'ReportReversal',
  { saleId: string; reversalId: string; amountCents: number; kind: 'refund' | 'reversal' }
>
export type CancelSubscription = Command<'CancelSubscription', { encryptedReason: string | null; atPeriodEnd: boolean }>
export type ReactivateSubscription = Command<'ReactivateSubscription'>
/** The provider is about to be told to bill a cancelled agreement no more. */
export type PauseBilling = Command<'PauseBilling', { agreementId: string }>
/** The provider was told to bill again, and does, since `statusAt`. */
export type ReportResumed = Command<'ReportResumed', { agreementId: string; statusAt: string }>
/** Lets what is due happen. */
export type PassTime = Command<'PassTime'>

export type SubscriptionCommand =
  | RequestSubscription
  | ReportStatus
  | ReportSale
  | ReportPaymentFailed
  | ReportReversal
  | CancelSubscription
  | ReactivateSubscription
  | PauseBilling
  | ReportResumed
  | PassTime
