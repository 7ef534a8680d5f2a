import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import {
  type Agreement,
  currentOf,
  endOf,
  evolve,
  isRunning,
  planEndedAt,
  type Subscription,
} from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import { nextChange } from './dueChanges.rules.ts'
import {
  awaitsApproval,
  cancel,
  cancelled,
  drop,
  type Events,
  ended,
  isScheduled,
  type Occasion,
  withdraw,
} from './endings.rules.ts'
import { type EndCause, SUBSCRIPTION, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from './events.ts'
import { faultOf } from './invariants.rules.ts'
import { abandonPacks, collectPack, lapsePack, reportFee, reportPackSale, requestPack } from './packs.rules.ts'
import { findMismatched, reportDispute, reportFailedRefund, reportReversal } from './reversals.rules.ts'
import { activate, approve, delayNext, startPaid } from './starts.rules.ts'
import { withdrawSale } from './withdrawals.rules.ts'

function find({ agreements }: Subscription, id: string): Agreement {
  const agreement = agreements.find((each) => each.id === id)
  if (!agreement) throw new Rejection('unknown_agreement', 'This agreement was not requested here.')
  return agreement
}

function reportStatus(command: SubscriptionCommand<'ReportStatus'>, subscription: Subscription): Events {
  const { userId, at, agreementId, status, statusAt } = command
  const agreement = find(subscription, agreementId)
  const data = { userId, at, agreementId, statusAt }
  if (status === 'active' && awaitsApproval(agreement))
    return approve(subscription, { ...command, approvedAt: statusAt }, agreement)
  if (agreement.status === 'ended') {
    const isOver = status === 'cancelled' || status === 'expired'
    return isOver && !agreement.closed ? [{ type: 'SubscriptionClosed', data: { userId, at, agreementId } }] : []
  }
  const isNews = agreement.statusAt === null || statusAt > agreement.statusAt
  switch (status) {
    case 'pending':
      return []
    case 'active':
      // A resumed agreement that the user has cancelled stays cancelled: the workflow pauses it again.
      return isNews && (agreement.status === 'suspended' || agreement.paused === 'yes')
        ? [{ type: 'SubscriptionResumed', data }]
        : []
    case 'suspended':
      if (agreement.paused === 'requested') return [{ type: 'SubscriptionPaused', data }]
      if (!isNews || agreement.paused === 'yes') return []
      if (agreement.cancelled !== 'no') return [{ type: 'SubscriptionPaused', data }]
      // A mail said until when the plan stays.
      if (agreement.graceUntil !== null && agreement.graceUntil > at) return []
      return agreement.status === 'active'
        ? [{ type: 'SubscriptionSuspended', data: { ...data, cause: 'provider' } }]
        : []
    case 'cancelled':
      if (!isRunning(agreement)) return end(command, subscription, 'declined')
      return agreement.cancelled === 'final' ? [] : [cancelled(command, agreement, { final: true })]
    case 'expired':
      return end(command, subscription, 'expired')
  }
}

/** Ends an agreement that is over at the provider, and closes it if another plan takes over its credits. */
function end(command: SubscriptionCommand<'ReportStatus'>, subscription: Subscription, cause: EndCause): Events {
  const ending = drop(subscription, command, find(subscription, command.agreementId), cause)
  return [ending, ...reportStatus(command, evolve(subscription, ending))]
}

function reportSale(command: SubscriptionCommand<'ReportSale'>, subscription: Subscription): Events {
  const { userId, at, agreementId, saleId, amountCents, currency, credits, soldAt, periodEnd, feeCents } = command
  const agreement = find(subscription, agreementId)
  const known = subscription.sales.find(({ id }) => id === saleId)
  if (known) return reportFee(command, known)
  if (findMismatched(subscription, saleId)) return []
  const sale = { userId, at, agreementId, saleId, amountCents, currency }
  const sold = { ...sale, ...(feeCents !== undefined && { feeCents }) }
  const { status, tier } = agreement
  if (amountCents !== agreement.priceCents || currency !== agreement.currency)
    return [
      { type: 'SubscriptionSaleMismatched', data: { ...sold, intended: { tier, periodStart: soldAt, periodEnd } } },
    ]
  const starts = awaitsApproval(agreement) || isScheduled(agreement)
  const started = starts ? startPaid(subscription, command, agreement) : []
  const after = started.reduce(evolve, subscription)
  const afterEnd = isSoldAfterEnd(after, agreementId, soldAt)
  const isDuplicate = !afterEnd && periodEnd > at && isDuplicated(after, agreementId)
  const refund = { ...sale, ...(isDuplicate && { cause: 'duplicate' as const }), automatic: true } as const
  const resumes = status === 'suspended' && agreement.cancelled === 'no' && periodEnd > at
  return [
    ...started,
    { type: 'SubscriptionPaid', data: { ...sold, tier, credits, periodStart: soldAt, periodEnd, afterEnd } },
    ...(afterEnd || isDuplicate ? [{ type: 'SubscriptionRefundProposed', data: refund } as const] : []),
    ...(resumes ? [{ type: 'SubscriptionResumed', data: { userId, agreementId, at, statusAt: null } } as const] : []),
    ...delayNext(subscription, command, agreement),
  ]
}

/** Returns whether a sale completed after its agreement ended, or no plan is left on which to spend its credits. */
function isSoldAfterEnd(subscription: Subscription, agreementId: string, soldAt: string): boolean {
  const { endedAt } = find(subscription, agreementId)
  return (endedAt !== null && soldAt >= endedAt) || planEndedAt(subscription, agreementId) !== null
}

/** Returns whether an agreement was replaced by one that was requested beside it, and approved after it. */
function isDuplicated(subscription: Subscription, agreementId: string): boolean {
  const { status, endCause, replacedBy } = find(subscription, agreementId)
  const isReplaced = status === 'ended' && endCause === 'replaced' && replacedBy !== null
  return isReplaced && find(subscription, replacedBy).over !== agreementId
}

function reportPaymentFailed(command: SubscriptionCommand<'ReportPaymentFailed'>, subscription: Subscription): Events {
  const { type: _, ...data } = command
  const { status, failedAt, graceUntil, periodStart } = find(subscription, data.agreementId)
  const isKnown = [failedAt, periodStart].some((instant) => instant !== null && instant >= data.failedAt)
  if (status !== 'active' || isKnown) return []
  // Until a payment succeeds, each failure is of the same one.
  return [{ type: 'SubscriptionPaymentFailed', data: { ...data, graceUntil: graceUntil ?? data.graceUntil } }]
}

function reactivate(command: SubscriptionCommand<'ReactivateSubscription'>, subscription: Subscription): Events {
  const { userId, at } = command
  const current = currentOf(subscription)
  if (!current) throw new Rejection('no_subscription', 'There is no subscription to reactivate.')
  if (current.cancelled === 'no') return []
  const end = endOf(current)
  if (current.cancelled === 'final' || (end !== null && end <= at))
    throw new Rejection(
      'cannot_reactivate',
      'This subscription has ended at the payment provider. Please subscribe again.',
    )
  return [
    ...withdraw(subscription, command),
    { type: 'SubscriptionReactivated', data: { userId, at, agreementId: current.id } },
  ]
}

/** Applies changes as of the time they were due, in that order, however late the command arrives. */
function applyDueChanges(command: SubscriptionCommand<'ApplyDueChanges'>, subscription: Subscription): Events {
  const next = nextChange(subscription)
  if (!next || next.at > command.at) return []
  const events = applyDueChange({ userId: command.userId, at: next.at }, next.agreement, subscription)
  // One change can make another due: when the current agreement ends, the scheduled one starts.
  return [...events, ...applyDueChanges(command, events.reduce(evolve, subscription))]
}

function applyDueChange(occasion: Occasion, agreement: Agreement, subscription: Subscription): Events {
  if (agreement.status === 'pending') return [ended(occasion, agreement, 'not_approved')]
  if (agreement.status === 'scheduled') return activate(subscription, occasion, agreement)
  if (agreement.cancelled !== 'no') return endPeriod(occasion, agreement, subscription)
  if (agreement.status === 'suspended') return [ended(occasion, agreement, 'unpaid')]
  const { userId, at } = occasion
  const data = { userId, at, agreementId: agreement.id, cause: 'unpaid', statusAt: null } as const
  return [{ type: 'SubscriptionSuspended', data }]
}

/** Ends a cancelled plan with its period. One that starts then continues it, so that the unused credits stay. */
function endPeriod(occasion: Occasion, agreement: Agreement, subscription: Subscription): Events {
  const next = subscription.agreements.find((other) => isScheduled(other) && other.startsAt <= occasion.at)
  return next ? activate(subscription, occasion, next) : [ended(occasion, agreement, 'period_end')]
}

function decide(command: SubscriptionCommand, subscription: Subscription): Events {
  switch (command.type) {
    case 'RequestSubscription': {
      const { type: _, ...data } = command
      const isKnown = subscription.agreements.some(({ id }) => id === data.agreementId)
      return isKnown ? [] : [{ type: 'SubscriptionRequested', data }]
    }
    case 'ReportStatus':
      return reportStatus(command, subscription)
    case 'ReportSale':
      return reportSale(command, subscription)
    case 'ReportPaymentFailed':
      return reportPaymentFailed(command, subscription)
    case 'ReportReversal':
      return reportReversal(command, subscription)
    case 'ReportFailedRefund':
      return reportFailedRefund(command, subscription)
    case 'ReportDispute':
      return reportDispute(command, subscription)
    case 'CancelSubscription':
      return cancel(command, subscription)
    case 'ReactivateSubscription':
      return reactivate(command, subscription)
    case 'PauseBilling': {
      const { type: _, ...data } = command
      const { cancelled, paused } = find(subscription, data.agreementId)
      const pauses = cancelled === 'at_period_end' && paused === 'no'
      return pauses ? [{ type: 'SubscriptionPaused', data: { ...data, statusAt: null } }] : []
    }
    case 'ReportResumed': {
      const { type: _, ...data } = command
      const agreement = find(subscription, data.agreementId)
      // The plan can have ended while it was resumed at the provider.
      return isRunning(agreement) && agreement.paused !== 'no' ? [{ type: 'SubscriptionResumed', data }] : []
    }
    case 'RequestPack':
      return requestPack(command, subscription)
    case 'WithdrawSale':
      return withdrawSale(command, subscription)
    case 'ReportPackSale':
      return reportPackSale(command, subscription)
    case 'AbandonPacks':
      return abandonPacks(command, subscription)
    case 'CollectPack':
      return collectPack(command, subscription)
    case 'LapsePack':
      return lapsePack(command, subscription)
    case 'ApplyDueChanges':
      return applyDueChanges(command, subscription)
  }
}

/** Decider for a user's agreements, sales and reversals. Records each fact once, however often it is reported. */
export const subscription: Decider<Subscription, SubscriptionCommand, SubscriptionEvent> = {
  category: SUBSCRIPTION,
  schemas: SUBSCRIPTION_EVENTS,
  initial: { agreements: [], sales: [], reversals: [], disputes: [], proposedRefunds: [], withdrawals: [], packs: [] },
  evolve,
  decide,
  faultOf,
  hashChained: true,
}
