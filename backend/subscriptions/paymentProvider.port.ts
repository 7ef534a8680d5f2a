import type { PaidTier } from './events.ts'

/** What the provider says of an agreement now. Instants are ISO strings. */
export interface ProviderAgreement {
  readonly id: string
  readonly status: 'pending' | 'active' | 'suspended' | 'cancelled' | 'expired'
  /** Since when it has this status. */
  readonly statusAt: string
  /** Our user's id, as it was given when the agreement was opened; undefined: it is not one of ours. */
  readonly userId: string | undefined
  readonly nextBillingAt: string | null
  readonly trial: boolean
  /** The last payment that failed and was not made good since. */
  readonly failedAt: string | null
}

/** A completed sale. Amounts are integer cents. */
export interface ProviderSale {
  readonly id: string
  readonly agreementId: string
  readonly amountCents: number
  readonly currency: string
  readonly soldAt: string
}

/** What a webhook was sent about. The truth about an agreement is asked for; sales and reversals are facts of their own. */
export type NoticeSubject =
  | { readonly kind: 'agreement'; readonly agreementId: string }
  | { readonly kind: 'sale'; readonly sale: ProviderSale }
  | { readonly kind: 'payment_failed'; readonly agreementId: string; readonly failedAt: string }
  | {
      readonly kind: 'reversal'
      readonly saleId: string
      readonly reversalId: string
      readonly amountCents: number
      readonly reversal: 'refund' | 'reversal'
    }
  | { readonly kind: 'other' }

export interface Notice {
  /** The provider's id of the event: the same when it is sent again. */
  readonly id: string
  readonly type: string
  /** The object that it is about, in one state: events of other ids that say the same share it. */
  readonly objectId: string
  readonly subject: NoticeSubject
}

export interface OpenAgreement {
  /** The same request opens one agreement, however often it is sent. */
  readonly requestId: string
  readonly userId: string
  readonly tier: PaidTier
  /** When the first payment is due; null: at once. */
  readonly startsAt: string | null
  readonly language: 'en' | 'zh'
  readonly returnUrl: string
  readonly cancelUrl: string
}

/** The provider does not answer, or cannot serve now: to be tried again. */
export class PaymentProviderDown extends Error {
  override name = 'PaymentProviderDown'
}

/**
 * A service that bills agreements month by month. Every call may be repeated. All but `readWebhook` throw
 * PaymentProviderDown when the provider does not answer.
 */
export interface PaymentProvider {
  readonly name: string
  /** `approvalUrl`: where the buyer approves; undefined when the provider gave none. */
  open(agreement: OpenAgreement): Promise<{ agreementId: string; approvalUrl: string | undefined }>
  /** Undefined: the provider knows no such agreement. */
  look(agreementId: string): Promise<ProviderAgreement | undefined>
  /** Completed sales between two instants, oldest first. */
  sales(agreementId: string, from: string, to: string): Promise<ProviderSale[]>
  /** No bills until it is resumed. */
  pause(agreementId: string, reason: string): Promise<void>
  resume(agreementId: string, reason: string): Promise<void>
  /** For good. */
  cancel(agreementId: string, reason: string): Promise<void>
  /** Checks a webhook's signature. Undefined: it does not come from the provider. @throws InvalidInput not what it sends */
  readWebhook(headers: Readonly<Record<string, string | undefined>>, body: Buffer): Promise<Notice | undefined>
}
