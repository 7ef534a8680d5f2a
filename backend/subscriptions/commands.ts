import type { PaidTier } from './events.ts'

type Command<T extends string, D extends object = object> = Readonly<{ type: T; userId: string; at: string } & D>

/** Records an agreement that was created at the provider and awaits approval. `startsAt`: start date; null: on approval. */
export type RequestSubscription = Command<
  'RequestSubscription',
  { agreementId: string; tier: PaidTier; priceCents: number; currency: string; startsAt: string | null }
>
/** Reports an agreement's current status at the provider, which it has had since `statusAt`. */
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
/** Reports a completed sale. `credits`: granted for it; `periodEnd`: end of the period that it pays for. */
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
/** Records the intent to pause a cancelled agreement at the provider, before the provider is called. */
export type PauseBilling = Command<'PauseBilling', { agreementId: string }>
/** Reports that the provider resumed billing at our request. */
export type ReportResumed = Command<'ReportResumed', { agreementId: string; statusAt: string }>
/** Applies every change whose time has come, such as the end of a period. */
export type ApplyDueChanges = Command<'ApplyDueChanges'>

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
  | ApplyDueChanges
