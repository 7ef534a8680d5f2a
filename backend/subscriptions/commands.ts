import type { PaidTier } from './events.ts'

/** The data of each command, besides its type, user and time. */
interface Data {
  /** Records an agreement that was created at the provider and awaits approval. `startsAt`: start date; null: on approval. */
  RequestSubscription: {
    agreementId: string
    tier: PaidTier
    priceCents: number
    currency: string
    startsAt: string | null
  }
  /** Reports an agreement's current status at the provider, which it has had since `statusAt`. */
  ReportStatus: {
    agreementId: string
    status: 'pending' | 'active' | 'suspended' | 'cancelled' | 'expired'
    statusAt: string
    trial: boolean
    periodEnd: string | null
  }
  /** Reports a completed sale. `credits`: granted for it; `periodEnd`: end of the period that it pays for. */
  ReportSale: {
    agreementId: string
    saleId: string
    amountCents: number
    currency: string
    credits: number
    soldAt: string
    periodEnd: string
  }
  ReportPaymentFailed: { agreementId: string; failedAt: string; graceUntil: string }
  ReportReversal: { saleId: string; reversalId: string; amountCents: number; kind: 'refund' | 'reversal' }
  CancelSubscription: { encryptedReason: string | null; atPeriodEnd: boolean }
  ReactivateSubscription: object
  /** Records the intent to pause a cancelled agreement at the provider, before the provider is called. */
  PauseBilling: { agreementId: string }
  /** Reports that the provider resumed billing at our request. */
  ReportResumed: { agreementId: string; statusAt: string }
  /** Applies every change whose time has come, such as the end of a period. */
  ApplyDueChanges: object
}

/** A command to a subscription: of one of the types `T`, by default of any. */
export type SubscriptionCommand<T extends keyof Data = keyof Data> = {
  [K in T]: Readonly<{ type: K; userId: string; at: string } & Data[K]>
}[T]
