import type { PaidTier, SubscriptionEvent } from './events.ts'

/** Data of each command, in addition to its type, user and time. */
interface Data {
  /** Records an agreement that awaits approval at the provider. It starts on approval if `startsAt` is null. */
  RequestSubscription: {
    agreementId: string
    provider?: string
    tier: PaidTier
    priceCents: number
    currency: string
    startsAt: string | null
    consent?: string
  }
  /** Reports an agreement's current status at the provider, in effect since `statusAt`. */
  ReportStatus: {
    agreementId: string
    status: 'pending' | 'active' | 'suspended' | 'cancelled' | 'expired'
    statusAt: string
    trial: boolean
    periodEnd: string | null
  }
  /** Reports a completed sale, which grants `credits` and pays for the period until `periodEnd`. */
  ReportSale: {
    agreementId: string
    saleId: string
    amountCents: number
    currency: string
    credits: number
    soldAt: string
    periodEnd: string
    feeCents?: number | undefined
  }
  ReportPaymentFailed: { agreementId: string; failedAt: string; graceUntil: string }
  ReportReversal: {
    saleId: string
    reversalId: string
    amountCents: number
    kind: 'refund' | 'reversal'
    assumed?: true
  }
  /** Reports that a refund failed after it was reported. */
  ReportFailedRefund: { saleId: string; reversalId: string }
  ReportDispute: Omit<SubscriptionEvent<'SubscriptionSaleDisputed'>['data'], 'userId' | 'agreementId' | 'at'>
  CancelSubscription: { encryptedReason: string | null; atPeriodEnd: boolean }
  ReactivateSubscription: object
  /** Records the intent to pause a cancelled agreement at the provider, before the provider is called. */
  PauseBilling: { agreementId: string }
  /** Reports that the provider resumed billing at our request. */
  ReportResumed: { agreementId: string; statusAt: string }
  /** Records an order of a pack that awaits payment at the provider. */
  RequestPack: {
    agreementId: string
    provider: string
    pack: string
    amountCents: number
    currency: string
    credits: number
    consent?: string
  }
  /** Withdraws from the contract of a sale, whose credits were used as the ledger says. */
  WithdrawSale: { saleId: string; usedCredits: number }
  /** Reports the completed sale of a pack's order. */
  ReportPackSale: {
    agreementId: string
    saleId: string
    amountCents: number
    currency: string
    soldAt: string
    feeCents?: number | undefined
  }
  /** Reports that the provider knows no payment of a pack's order, and none is expected any more. */
  LapsePack: { agreementId: string }
  /** Ends the open orders of packs of an account that is deleted. */
  AbandonPacks: object
  /** Records the intent to take the money of an order, before the provider is called. */
  CollectPack: { agreementId: string }
  /** Applies all time-based changes that are due, such as the end of a period. */
  ApplyDueChanges: object
}

/** A subscription command of one of the types `T`; of any type by default. */
export type SubscriptionCommand<T extends keyof Data = keyof Data> = {
  [K in T]: Readonly<{ type: K; userId: string; at: string } & Data[K]>
}[T]
