import type { SubscriptionCommand } from '../commands.ts'
import type { DisputeOutcome, EndCause, PaidTier, SubscriptionEvent } from '../events.ts'

// Events and commands for agreement A on the Pro plan, paid for January 2026. Commands are dated 10 January.
export const userId = 'user'
export const on = (date: string) => `2026-${date}T00:00:00.000Z`
export const at = on('01-10')

export const changed = (event: SubscriptionEvent, change: object) =>
  ({ ...event, data: { ...event.data, ...change } }) as SubscriptionEvent
export const dated = (event: SubscriptionEvent, when: string) => changed(event, { at: when })

export const requested = (
  agreementId = 'A',
  tier: PaidTier = 'pro',
  startsAt: string | null = null,
): SubscriptionEvent => ({
  type: 'SubscriptionRequested',
  data: { userId, agreementId, tier, priceCents: 4499, currency: 'USD', startsAt, at: on('01-01') },
})
export const scheduled = (
  agreementId: string,
  {
    tier = 'standard',
    startsAt = on('02-01'),
    statusAt = on('01-05'),
  }: { tier?: PaidTier; startsAt?: string; statusAt?: string | null } = {},
): SubscriptionEvent => ({
  type: 'SubscriptionScheduled',
  data: { userId, agreementId, at, tier, startsAt, statusAt },
})
export const activated = (
  agreementId = 'A',
  {
    tier = 'pro',
    periodEnd = on('02-01'),
    statusAt = on('01-01'),
    trial = false,
  }: { tier?: PaidTier; periodEnd?: string | null; statusAt?: string | null; trial?: boolean } = {},
): SubscriptionEvent => ({
  type: 'SubscriptionActivated',
  data: { userId, agreementId, at, tier, trial, priceCents: 4499, currency: 'USD', periodEnd, statusAt },
})
export const paid = (
  saleId: string,
  periodStart = on('01-01'),
  periodEnd = on('02-01'),
  afterEnd = false,
): SubscriptionEvent => ({
  type: 'SubscriptionPaid',
  data: {
    userId,
    agreementId: 'A',
    at,
    tier: 'pro',
    saleId,
    amountCents: 4499,
    currency: 'USD',
    credits: 4500,
    periodStart,
    periodEnd,
    afterEnd,
  },
})
export const refundProposed = (saleId: string, agreementId = 'A', when = at): SubscriptionEvent => ({
  type: 'SubscriptionRefundProposed',
  data: { userId, agreementId, at: when, saleId, amountCents: 4499, currency: 'USD', automatic: true },
})
/** Proposes the refund of the sale of a plan that the user ended soon after it. */
export const unusedRefund = (saleId: string): SubscriptionEvent => ({
  type: 'SubscriptionRefundProposed',
  data: { userId, agreementId: 'A', at, saleId, amountCents: 4499, currency: 'USD', cause: 'cancelled' },
})
export const ended = (
  agreementId: string,
  cause: EndCause,
  replacedBy: string | null = null,
  when = at,
): SubscriptionEvent => ({
  type: 'SubscriptionEnded',
  data: { userId, agreementId, cause, replacedBy, at: when },
})
export const cancelled = (final = false, endsAt: string | null = on('02-01'), encryptedReason: string | null = null) =>
  ({ type: 'SubscriptionCancelled', data: { userId, agreementId: 'A', at, encryptedReason, endsAt, final } }) as const
export const failedOn = (failedAt: string, graceUntil: string): SubscriptionEvent => ({
  type: 'SubscriptionPaymentFailed',
  data: { userId, agreementId: 'A', at, failedAt, graceUntil },
})
export const failed = failedOn(on('02-01'), on('02-08'))
export const suspended = (
  cause: 'unpaid' | 'provider',
  when: string,
  statusAt: string | null = null,
): SubscriptionEvent => ({
  type: 'SubscriptionSuspended',
  data: { userId, agreementId: 'A', at: when, cause, statusAt },
})
export const reported = (type: 'SubscriptionResumed' | 'SubscriptionPaused', statusAt: string | null) =>
  ({ type, data: { userId, agreementId: 'A', at, statusAt } }) as SubscriptionEvent
export const reactivated: SubscriptionEvent = {
  type: 'SubscriptionReactivated',
  data: { userId, agreementId: 'A', at },
}

export const status = (
  is: SubscriptionCommand<'ReportStatus'>['status'],
  statusAt = on('01-05'),
  agreementId = 'A',
  when = at,
): SubscriptionCommand<'ReportStatus'> => ({
  type: 'ReportStatus',
  userId,
  agreementId,
  status: is,
  statusAt,
  trial: false,
  periodEnd: on('02-01'),
  at: when,
})
export const sale = (saleId: string, change: object = {}): SubscriptionCommand => ({
  type: 'ReportSale',
  userId,
  agreementId: 'A',
  saleId,
  amountCents: 4499,
  currency: 'USD',
  credits: 4500,
  soldAt: on('01-01'),
  periodEnd: on('02-01'),
  at,
  ...change,
})
export const cancel = (atPeriodEnd = true, when = at): SubscriptionCommand => ({
  type: 'CancelSubscription',
  userId,
  encryptedReason: null,
  atPeriodEnd,
  at: when,
})
export const applyDueChanges = (when: string): SubscriptionCommand => ({ type: 'ApplyDueChanges', userId, at: when })

type ReversalFacts = { saleId?: string; kind?: 'refund' | 'reversal'; takenCents?: number; assumed?: true }
export const reversal = (
  reversalId: string,
  amountCents: number,
  { saleId = 's1', kind = 'refund' }: ReversalFacts = {},
): SubscriptionCommand => ({ type: 'ReportReversal', userId, saleId, reversalId, amountCents, kind, at })
export const reversed = (
  reversalId: string,
  amountCents: number,
  credits: number,
  { saleId = 's1', kind = 'refund', takenCents = amountCents, ...assumed }: ReversalFacts = {},
): SubscriptionEvent => ({
  type: 'SubscriptionSaleReversed',
  data: { userId, agreementId: 'A', at, saleId, reversalId, kind, amountCents, takenCents, credits, ...assumed },
})

type DisputeFacts = { saleId?: string; disputeId?: string }
export const dispute = (
  outcome: DisputeOutcome,
  day: string,
  { saleId = 's1', disputeId = 'd' }: DisputeFacts = {},
): SubscriptionCommand => ({ type: 'ReportDispute', userId, saleId, disputeId, outcome, statusAt: on(day), at })
export const disputed = (
  outcome: DisputeOutcome,
  day: string,
  { saleId = 's1', disputeId = 'd' }: DisputeFacts = {},
): SubscriptionEvent => ({
  type: 'SubscriptionSaleDisputed',
  data: { userId, agreementId: 'A', at, saleId, disputeId, outcome, statusAt: on(day) },
})
export const restored = (restorationId: string, amountCents: number, credits: number): SubscriptionEvent => ({
  type: 'SubscriptionSaleRestored',
  data: { userId, agreementId: 'A', at, saleId: 's1', restorationId, amountCents, credits },
})
export const mismatched = (saleId: string, amountCents = 1): SubscriptionEvent => ({
  type: 'SubscriptionSaleMismatched',
  data: {
    ...{ userId, agreementId: 'A', at, saleId, amountCents, currency: 'USD' },
    intended: { tier: 'pro', periodStart: on('02-01'), periodEnd: on('03-01') },
  },
})

export const running = [requested(), activated(), paid('s1')]
