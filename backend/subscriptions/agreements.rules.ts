import type { DisputeOutcome, EndCause, PaidTier, SubscriptionEvent } from './events.ts'
import { evolvePacks, type Pack } from './packs.rules.ts'
import { takenCents } from './takenBack.rules.ts'

/** A billing agreement between a user and the payment provider. Times are ISO strings; prices are integer cents. */
export interface Agreement {
  /** Id assigned by the provider. */
  readonly id: string
  readonly tier: PaidTier
  readonly priceCents: number
  readonly currency: string
  readonly requestedAt: string
  /** Id of the agreement that was the user's plan at the time of the request, which this one was meant to replace. */
  readonly over: string | null
  /** Earliest known time of the buyer's approval at the provider; null if unknown. */
  readonly approvedAt: string | null
  /** `scheduled`: approved; starts when the current agreement ends. */
  readonly status: 'pending' | 'scheduled' | 'active' | 'suspended' | 'ended'
  readonly startsAt: string | null
  /** `final`: cancelled at the provider, so it cannot be reactivated. */
  readonly cancelled: 'no' | 'at_period_end' | 'final'
  /** Time of the latest status change that the provider reported. Older reports are ignored. */
  readonly statusAt: string | null
  readonly suspendedAt: string | null
  /** Whether billing is paused at the provider because the user cancelled. `requested`: not confirmed yet. */
  readonly paused: 'no' | 'requested' | 'yes'
  /** Start of the latest paid period, which is the time of its sale. */
  readonly periodStart: string | null
  readonly periodEnd: string | null
  readonly failedAt: string | null
  /** End of the grace period after a failed payment, during which the plan stays active. */
  readonly graceUntil: string | null
  /** Cause of the latest end; kept when a late approval activates the agreement. */
  readonly endCause: EndCause | null
  readonly endedAt: string | null
  readonly replacedBy: string | null
  /** Whether the agreement has also ended at the provider, so that it can never be billed again. */
  readonly closed: boolean
}

export interface Sale {
  readonly id: string
  readonly agreementId: string
  readonly credits: number
  readonly amountCents: number
  readonly currency: string
  readonly afterEnd: boolean
  readonly periodStart: string
  readonly periodEnd: string
  readonly reportedAt: string
  /** What the provider kept; missing while it has not told that. */
  readonly feeCents?: number
}

/** `mismatched`: the sale's amount or currency differs from the agreement, so it grants no credits. */
export type ProposedRefund = Readonly<{
  saleId: string
  agreementId: string
  amountCents: number
  currency: string
  cause: 'after_end' | 'mismatched' | 'duplicate' | 'cancelled' | 'withdrawn'
  automatic: boolean
  at: string
  /** What was taken back of the sale before, in cents. */
  takenBefore: number
}>

/** A sale whose contract the buyer withdrew from. */
export type Withdrawal = Omit<SubscriptionEvent<'SubscriptionWithdrawn'>['data'], 'userId'>

/** `credits` is the number of credits that this reversal claims, or gives back if negative (`restored`). */
export type Reversal = Readonly<{
  id: string
  saleId: string
  amountCents: number
  credits: number
  kind: 'refund' | 'reversal' | 'restored'
  at: string
  /** Stands for refunds that may not be known. */
  assumed?: true
  /** A refund that failed after it was reported, or the assumption of one. */
  failed?: true
}>

export type Dispute = Readonly<{
  id: string
  saleId: string
  outcome: DisputeOutcome
  statusAt: string
  dueAt?: string
}>

/** All agreements, sales and reversals of a user. */
export interface Subscription {
  /** In order of request. */
  readonly agreements: readonly Agreement[]
  readonly sales: readonly Sale[]
  /** Reversals and restorations, in order. */
  readonly reversals: readonly Reversal[]
  readonly disputes: readonly Dispute[]
  readonly proposedRefunds: readonly ProposedRefund[]
  readonly withdrawals: readonly Withdrawal[]
  /** Ordered packs of credits. Their sales are not among `sales`, so that the end of a plan never forfeits them. */
  readonly packs: readonly Pack[]
}

export const isRunning = ({ status }: Agreement) => status === 'active' || status === 'suspended'

/** Returns the running agreement, which determines the user's plan; undefined if there is none. */
export const currentOf = ({ agreements }: Subscription): Agreement | undefined => agreements.findLast(isRunning)

/** Returns the agreement that has the plan of an agreement: the last of its replacements, or itself. */
export function successorOf(subscription: Subscription, agreementId: string): Agreement | undefined {
  const agreement = subscription.agreements.find(({ id }) => id === agreementId)
  if (agreement?.status !== 'ended' || agreement.replacedBy === null) return agreement
  return successorOf(subscription, agreement.replacedBy)
}

/** Returns when an agreement and all its replacements ended; null if one of them has not. */
export function planEndedAt(subscription: Subscription, agreementId: string): string | null {
  const successor = successorOf(subscription, agreementId)
  return successor?.status === 'ended' ? successor.endedAt : null
}

/** Returns whether the credits of a sale were claimed when the plan ended, and a dispute or a failed refund has given them back. */
function isRestoredAfterEnd({ reversals }: Subscription, sale: Sale, endedAt: string): boolean {
  const ofSale = reversals.filter(({ saleId }) => saleId === sale.id)
  const chargebacks = ofSale.filter(({ kind, failed }) => kind !== 'refund' || failed)
  const before = chargebacks.filter(({ at }) => at <= endedAt)
  // A dispute that is won gives back all that chargebacks have claimed, except the share of refunds.
  const standing = before.slice(before.findLastIndex(({ kind }) => kind === 'restored') + 1)
  return standing.some(({ credits }) => credits > 0) && chargebacks.at(-1)?.kind === 'restored'
}

/**
 * Returns the ids of sales whose credits are forfeited: they were reported before their plan ended, and it has ended. The
 * refund of an upgrade forfeits no credits, because the plan that it replaced is still paid for. Credits that a dispute
 * gives back after the end stay, also if nothing was forfeited in the meantime.
 */
export const forfeitedSales = (subscription: Subscription): readonly string[] =>
  subscription.sales
    .filter((sale) => {
      const endedAt = planEndedAt(subscription, sale.agreementId)
      const isKept = sale.afterEnd || successorOf(subscription, sale.agreementId)?.endCause === 'refunded'
      return (
        !isKept && endedAt !== null && sale.reportedAt <= endedAt && !isRestoredAfterEnd(subscription, sale, endedAt)
      )
    })
    .map(({ id }) => id)

/** Returns the later of two instants, or the one that is known. */
export const latest = (a: string | null, b: string | null) => (a === null || (b !== null && b > a) ? b : a)

/** Returns the earlier of two instants, or the one that is known. */
export const earliest = <Other extends string | null>(a: string | null, b: Other) =>
  a === null || (b !== null && b < a) ? b : a

/** Returns until when a plan stays if it is cancelled: the end of its paid period, or of the grace period if that is later. */
export const endOf = ({ status, periodEnd, graceUntil }: Pick<Agreement, 'status' | 'periodEnd' | 'graceUntil'>) =>
  latest(periodEnd, status === 'active' ? graceUntil : null)

export function evolve(subscription: Subscription, event: SubscriptionEvent): Subscription {
  const { agreementId, at } = event.data
  const statusAt = 'statusAt' in event.data ? event.data.statusAt : null
  const change = (patch: Partial<Agreement> | ((agreement: Agreement) => Partial<Agreement>)): Subscription => ({
    ...subscription,
    agreements: subscription.agreements.map((agreement) => {
      if (agreement.id !== agreementId) return agreement
      const changes = typeof patch === 'function' ? patch(agreement) : patch
      return { ...agreement, statusAt: latest(agreement.statusAt, statusAt), ...changes }
    }),
  })
  switch (event.type) {
    case 'SubscriptionRequested': {
      const { tier, priceCents, currency, startsAt } = event.data
      const over = currentOf(subscription)?.id ?? null
      const agreement = { ...NEW, id: agreementId, tier, priceCents, currency, startsAt, requestedAt: at, over }
      return { ...subscription, agreements: [...subscription.agreements, agreement] }
    }
    case 'SubscriptionScheduled':
      return change(({ approvedAt }) => ({
        ...{ status: 'scheduled', startsAt: event.data.startsAt, endedAt: null },
        approvedAt: earliest(approvedAt, statusAt),
      }))
    case 'SubscriptionActivated': {
      const { periodEnd } = event.data
      return change((agreement) => ({
        ...{ status: 'active', endedAt: null },
        periodEnd: latest(agreement.periodEnd, periodEnd),
        approvedAt: earliest(agreement.approvedAt, statusAt),
      }))
    }
    case 'SubscriptionPaid': {
      const { saleId, credits, amountCents, currency, afterEnd, periodStart, periodEnd, feeCents } = event.data
      const paid = change((agreement) => ({
        approvedAt: earliest(agreement.approvedAt, periodStart),
        periodStart: latest(agreement.periodStart, periodStart),
        periodEnd: latest(agreement.periodEnd, periodEnd),
        graceUntil: agreement.failedAt !== null && agreement.failedAt > periodStart ? agreement.graceUntil : null,
      }))
      const about = { agreementId, credits, amountCents, currency, afterEnd, periodStart, periodEnd, reportedAt: at }
      return { ...paid, sales: [...paid.sales, { id: saleId, ...about, ...(feeCents !== undefined && { feeCents }) }] }
    }
    case 'SubscriptionPaymentFailed':
      return change({ failedAt: event.data.failedAt, graceUntil: event.data.graceUntil })
    case 'SubscriptionSuspended':
      return change({ status: 'suspended', suspendedAt: at })
    case 'SubscriptionResumed':
      return change(({ paused }) => ({ status: 'active', paused: statusAt === null ? paused : 'no' }))
    case 'SubscriptionCancelled':
      return change({ cancelled: event.data.final ? 'final' : 'at_period_end' })
    case 'SubscriptionPaused':
      return change({ paused: statusAt === null ? 'requested' : 'yes' })
    case 'SubscriptionReactivated':
      return change({ cancelled: 'no' })
    case 'SubscriptionEnded': {
      const { cause, replacedBy } = event.data
      const closed = cause === 'expired' || cause === 'declined'
      return change({ status: 'ended', endCause: cause, endedAt: at, replacedBy, closed })
    }
    case 'SubscriptionClosed':
      return change({ closed: true })
    case 'PackRequested':
    case 'PackPaid':
    case 'PackLapsed':
    case 'PackReopened':
      return { ...subscription, packs: evolvePacks(subscription.packs, event) }
    default:
      return evolveSales(subscription, event)
  }
}

type SaleEvent = Extract<
  SubscriptionEvent,
  {
    type:
      | 'SubscriptionRefundProposed'
      | 'SubscriptionWithdrawn'
      | `SubscriptionSale${'Mismatched' | 'Reversed' | 'Disputed' | 'Restored' | 'FeeReported'}`
  }
>

/** Applies an event that is about a sale and leaves the agreements as they are. */
function evolveSales(subscription: Subscription, event: SaleEvent): Subscription {
  const { agreementId, at } = event.data
  switch (event.type) {
    case 'SubscriptionRefundProposed':
    case 'SubscriptionSaleMismatched': {
      const { saleId, amountCents, currency } = event.data
      const isMismatched = event.type === 'SubscriptionSaleMismatched'
      const cause = isMismatched ? 'mismatched' : (event.data.cause ?? 'after_end')
      const automatic = !isMismatched && event.data.automatic === true
      const takenBefore = takenCents(subscription, { id: saleId, amountCents })
      const refund = { saleId, agreementId, amountCents, currency, cause, automatic, at, takenBefore } as const
      return { ...subscription, proposedRefunds: [...subscription.proposedRefunds, refund] }
    }
    case 'SubscriptionSaleFeeReported': {
      const { saleId, feeCents } = event.data
      return {
        ...subscription,
        sales: subscription.sales.map((sale) => (sale.id === saleId ? { ...sale, feeCents } : sale)),
        packs: subscription.packs.map((pack) => (pack.saleId === saleId ? { ...pack, feeCents } : pack)),
      }
    }
    case 'SubscriptionWithdrawn': {
      const { userId: _, ...withdrawal } = event.data
      return { ...subscription, withdrawals: [...subscription.withdrawals, withdrawal] }
    }
    case 'SubscriptionSaleReversed': {
      const { reversalId, saleId, amountCents, credits, kind, assumed } = event.data
      const reversal = { id: reversalId, saleId, amountCents, credits, kind, at, ...(assumed && { assumed }) }
      return { ...subscription, reversals: [...subscription.reversals, reversal] }
    }
    case 'SubscriptionSaleDisputed': {
      const { disputeId: id, saleId, outcome, statusAt, dueAt } = event.data
      const others = subscription.disputes.filter((dispute) => dispute.id !== id || dispute.saleId !== saleId)
      return { ...subscription, disputes: [...others, { id, saleId, outcome, statusAt, ...(dueAt && { dueAt }) }] }
    }
    case 'SubscriptionSaleRestored': {
      const { restorationId: id, saleId, credits, reversalId } = event.data
      const restored = { id, saleId, amountCents: 0, credits: -credits, kind: 'restored', at } as const
      const hasFailed = (each: Reversal) => each.id === reversalId || (each.assumed && each.saleId === saleId)
      const reversals = subscription.reversals.map((each) =>
        reversalId !== undefined && hasFailed(each) ? ({ ...each, failed: true } as const) : each,
      )
      return { ...subscription, reversals: [...reversals, restored] }
    }
  }
}

const NO_DATES = {
  approvedAt: null,
  statusAt: null,
  suspendedAt: null,
  periodStart: null,
  periodEnd: null,
  failedAt: null,
} as const
const NO_END = { graceUntil: null, endCause: null, endedAt: null, replacedBy: null, closed: false } as const
const NEW = { status: 'pending', cancelled: 'no', paused: 'no', ...NO_DATES, ...NO_END } as const
