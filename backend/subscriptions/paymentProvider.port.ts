import type { DisputeOutcome, PaidTier } from './events.ts'

/** The current state of an agreement at the provider. Times are ISO strings in UTC. */
export interface ProviderAgreement {
  readonly id: string
  readonly status: 'pending' | 'active' | 'suspended' | 'cancelled' | 'expired'
  /** Time of the last status change. */
  readonly statusAt: string
  /** The user id passed to `createAgreement`. Undefined for agreements that another system created. */
  readonly userId: string | undefined
  readonly nextBillingAt: string | null
  readonly trial: boolean
  /** Time of the last failed payment; null if there is none or a later payment succeeded. */
  readonly failedAt: string | null
  /** The provider's page on which the buyer completes the failed payment, for example because the bank asks; if it has one. */
  readonly completionUrl?: string | undefined
}

/** A completed sale. Amounts are integer cents; undefined if the provider's amount cannot be booked. */
export interface ProviderSale {
  readonly id: string
  readonly agreementId: string
  readonly amountCents: number | undefined
  readonly currency: string
  readonly soldAt: string
  /** What the provider kept for itself, in the currency of the sale; undefined if it has not told that. */
  readonly feeCents?: number | undefined
}

export interface ListedSale extends ProviderSale {
  /** Whether all of the sale was taken back, by refunds or a chargeback. */
  readonly refunded: boolean
}

/** An order of a pack of credits. */
export interface NewOrder {
  /** Idempotency key. */
  readonly requestId: string
  readonly userId: string
  readonly credits: number
  readonly amountCents: number
  readonly currency: string
  readonly language: 'en' | 'zh'
  readonly returnUrl: string
  readonly cancelUrl: string
}

/** The current state of an order at the provider. */
export interface ProviderOrder {
  /** The user id passed to `createOrder`. Undefined for orders that another system created. */
  readonly userId: string | undefined
  /** The completed sale that paid for it, whatever was taken back of it later; undefined if there is none. */
  readonly sale: Omit<ProviderSale, 'agreementId'> | undefined
}

/** A refund or chargeback of a sale. `reversalId` is the same in webhooks and lists. Amounts are integer cents. */
export interface ProviderReversal {
  readonly saleId: string
  readonly reversalId: string
  readonly amountCents: number
  readonly reversal: 'refund' | 'reversal'
  /** A refund that was reported, and failed later: the seller has the money again. */
  readonly failed?: boolean
}

/** A refund of all or part of a sale. */
export interface NewRefund {
  readonly saleId: string
  /** Idempotency key. */
  readonly refundId: string
  readonly amountCents: number
  readonly currency: string
  /** Shown to the buyer where the provider can. */
  readonly reason: string
}

/** The ids of a reversal, by which the provider is asked about it. */
export type ReversalHint = Pick<ProviderReversal, 'saleId' | 'reversalId' | 'reversal'>

/** A dispute as the provider answers to a question for its id. */
export interface ProviderDispute {
  /** The disputed sales. Some may not be Kinora's. */
  readonly saleIds: readonly string[]
  readonly outcome: DisputeOutcome
  readonly statusAt: string
  /** When the seller's answer is due, while it is awaited. */
  readonly dueAt?: string | undefined
}

/** Returns the name of the provider that an id belongs to. See docs/decisions/0069-several-tills.md. */
export const tillOf = (id: string): string => /^([a-z]+):/.exec(id)?.[1] ?? 'paypal'

/** Returns the id of a sale's chargeback, which providers report without one. */
export const chargebackIdOf = (saleId: string): string => `${saleId} reversed`

/**
 * The subject of a webhook: the ids to ask the provider about. Amounts, times and outcomes are never taken from a webhook,
 * whose body can be forged. See docs/decisions/0056-the-providers-word.md.
 */
export type WebhookSubject =
  | { readonly kind: 'agreement'; readonly agreementId: string }
  | { readonly kind: 'sale'; readonly sale: Pick<ProviderSale, 'id' | 'agreementId'> }
  | { readonly kind: 'order'; readonly orderId: string }
  | { readonly kind: 'payment_failed'; readonly agreementId: string }
  | ({ readonly kind: 'reversal' } & ReversalHint)
  | { readonly kind: 'dispute'; readonly disputeId: string }
  | { readonly kind: 'fraud_warning'; readonly warningId: string }
  | { readonly kind: 'other' }

export interface PaymentWebhook {
  /** The provider's event id, unchanged when the event is redelivered. */
  readonly id: string
  readonly type: string
  /** Identifies one state of one object. Different events that report the same state share it. */
  readonly objectId: string
  readonly subject: WebhookSubject
}

/** A webhook whose signature is valid. A transmission keeps its id when it is repeated, and has one body. */
export interface SignedWebhook extends PaymentWebhook {
  readonly transmissionId: string
}

export interface NewAgreement {
  /** Idempotency key. */
  readonly requestId: string
  readonly userId: string
  readonly tier: PaidTier
  /** Due date of the first payment; null if it is due on approval. */
  readonly startsAt: string | null
  readonly language: 'en' | 'zh'
  readonly returnUrl: string
  readonly cancelUrl: string
}

/** Thrown when the provider is unreachable or overloaded. The call can be retried. */
export class PaymentProviderDown extends Error {
  override name = 'PaymentProviderDown'
}

/**
 * A till: bills agreements monthly, and sells packs. Every call is idempotent and throws PaymentProviderDown when the provider is unreachable.
 * `verifyWebhook` contacts the provider only if it cannot check the signature locally.
 */
export interface PaymentProvider {
  /** Lower-case letters. Stored in events, and part of ids and of the address of webhooks, so it never changes. */
  readonly name: string
  /** Currencies of packs, as upper-case ISO codes. Plans are in US dollars. */
  readonly currencies: readonly string[]
  /** Text to answer a webhook with; by default an empty JSON object. */
  readonly acknowledgement?: string
  /** `approvalUrl` is the page on which the buyer approves the agreement; undefined if the provider sent none. */
  createAgreement(agreement: NewAgreement): Promise<{ agreementId: string; approvalUrl: string | undefined }>
  /** `paymentUrl` is the page on which the buyer pays; undefined if the provider sent none. */
  createOrder(order: NewOrder): Promise<{ orderId: string; paymentUrl: string | undefined }>
  /**
   * Takes the money of an order that the buyer has approved, once, because the approval alone moves none at some providers.
   * Returns the order as it is then; undefined if it is unknown.
   * @param beforeTaking records the intent, before the provider is told to take the money; if it throws, none is taken
   */
  collectOrder(orderId: string, beforeTaking?: (userId: string) => Promise<void>): Promise<ProviderOrder | undefined>
  /** Ends an unpaid order, so that it cannot be paid any more, at providers that can. One that was paid stays paid. */
  closeOrder(orderId: string): Promise<void>
  /** Returns an agreement; undefined if it is unknown. Webhooks may name it by another id of the provider than the answer. */
  getAgreement(agreementId: string): Promise<ProviderAgreement | undefined>
  /** Returns the completed sales between two ISO timestamps, oldest first, with those that were refunded later. */
  listSales(agreementId: string, from: string, to: string): Promise<ListedSale[]>
  /**
   * Returns the refunds and chargebacks of all sales between two ISO timestamps. They can appear hours late. Returns
   * undefined if the provider refuses the list to this installation.
   */
  listReversals(from: string, to: string): Promise<ProviderReversal[] | undefined>
  /** Returns a completed or failed refund, or a chargeback; undefined if the provider knows none with these ids. */
  getReversal(hint: ReversalHint): Promise<ProviderReversal | undefined>
  /** Returns a dispute; undefined if it is unknown, or refused to this installation. */
  getDispute(disputeId: string): Promise<ProviderDispute | undefined>
  /** Returns the sale about which the provider warns of fraud; undefined if the warning is unknown or settled. */
  getFraudWarning?(warningId: string): Promise<{ readonly saleId: string } | undefined>
  /**
   * Refunds all or part of a sale, once for each `refundId`. Returns the refund, or undefined while it is pending.
   * @throws Error the provider refuses it
   */
  refund(refund: NewRefund): Promise<ProviderReversal | undefined>
  /** Returns the provider's page on which the buyer changes how an agreement is paid; undefined if it cannot be changed there. */
  paymentMethodUrl?(agreementId: string, returnUrl: string): Promise<string | undefined>
  /** Stops billing until the agreement is resumed. */
  pauseAgreement(agreementId: string, reason: string): Promise<void>
  resumeAgreement(agreementId: string, reason: string): Promise<void>
  /** Cancels permanently. */
  cancelAgreement(agreementId: string, reason: string): Promise<void>
  /**
   * Verifies a webhook's signature and parses its body. Returns undefined if the signature is invalid, or the
   * transmission is older than the provider's redeliveries.
   * @throws ValidationError if the signature is valid, but the body is malformed
   */
  verifyWebhook(headers: Readonly<Record<string, string | undefined>>, body: Buffer): Promise<SignedWebhook | undefined>
}
