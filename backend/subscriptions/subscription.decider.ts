import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import {
  type Agreement,
  currentOf,
  evolve,
  isRunning,
  planEndedAt,
  type Sale,
  type Subscription,
} from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import { nextChange } from './dueChanges.rules.ts'
import { type EndCause, SUBSCRIPTION, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from './events.ts'
import { takenCents, unclaimedCredits } from './reversals.rules.ts'

type Events = readonly SubscriptionEvent[]
type Occasion = { readonly userId: string; readonly at: string }

function find({ agreements }: Subscription, id: string): Agreement {
  const agreement = agreements.find((each) => each.id === id)
  if (!agreement) throw new Rejection('unknown_agreement', 'This agreement was not requested here.')
  return agreement
}

const ended = (
  { userId, at }: Occasion,
  { id }: Agreement,
  cause: EndCause,
  replacedBy: string | null = null,
): SubscriptionEvent => ({ type: 'SubscriptionEnded', data: { userId, agreementId: id, cause, replacedBy, at } })

const cancelled = (
  { userId, at }: Occasion,
  { id, periodEnd }: Agreement,
  { encryptedReason = null, final = false }: { encryptedReason?: string | null; final?: boolean } = {},
): SubscriptionEvent => ({
  type: 'SubscriptionCancelled',
  data: { userId, agreementId: id, at, encryptedReason, endsAt: periodEnd, final },
})

/** Returns the agreements requested before and after this one. If both are approved, the one requested later wins. */
function requestedAround({ agreements }: Subscription, agreement: Agreement) {
  const place = agreements.indexOf(agreement)
  return { earlier: agreements.slice(0, place), later: agreements.slice(place + 1) }
}

const isScheduled = ({ status }: Agreement) => status === 'scheduled'

/** Includes agreements that expired unapproved: they become valid again if the buyer approves them late. */
const awaitsApproval = ({ status, endCause }: Agreement) =>
  status === 'pending' || (status === 'ended' && endCause === 'not_approved')

/** Ends all agreements that have not started, except this one. If the buyer approves one later, it is not activated. */
const withdraw = ({ agreements }: Subscription, occasion: Occasion, except?: Agreement): Events =>
  agreements
    .filter((agreement) => agreement !== except && (awaitsApproval(agreement) || isScheduled(agreement)))
    .map((agreement) => ended(occasion, agreement, 'withdrawn'))

/** Activates an agreement, ends the one it replaces and withdraws the others, so that only one can be billed. */
function activate(
  subscription: Subscription,
  { userId, at }: Occasion,
  agreement: Agreement,
  {
    trial = false,
    periodEnd = null,
    statusAt = null,
  }: Partial<SubscriptionEvent<'SubscriptionActivated'>['data']> = {},
): Events {
  const { earlier, later } = requestedAround(subscription, agreement)
  // Only in logs of earlier releases, which did not withdraw agreements that had not started.
  if (later.some((other) => isRunning(other) || (isScheduled(other) && other.startsAt! <= at)))
    return [ended({ userId, at }, agreement, 'withdrawn')]
  const { id, tier, priceCents, currency } = agreement
  const data = { userId, at, agreementId: id, tier, trial, priceCents, currency, periodEnd, statusAt }
  return [
    ...earlier.filter(isRunning).map((other) => ended({ userId, at }, other, 'replaced', id)),
    ...withdraw(subscription, { userId, at }, agreement),
    { type: 'SubscriptionActivated', data },
  ]
}

/** Handles the buyer's approval. Schedules an agreement with a future start date and cancels the current one. */
function approve(
  subscription: Subscription,
  command: SubscriptionCommand<'ReportStatus'>,
  agreement: Agreement,
): Events {
  const { userId, at, statusAt } = command
  const { id: agreementId, tier, startsAt } = agreement
  if (startsAt === null || startsAt <= at) return activate(subscription, command, agreement, command)
  const { earlier, later } = requestedAround(subscription, agreement)
  const newer = later.find(isScheduled)
  if (newer) return [ended(command, agreement, 'replaced', newer.id)]
  const current = currentOf(subscription)
  return [
    ...earlier.filter(isScheduled).map((other) => ended(command, other, 'replaced', agreementId)),
    { type: 'SubscriptionScheduled', data: { userId, at, agreementId, tier, startsAt, statusAt } },
    ...(current?.cancelled === 'no' ? [cancelled(command, current)] : []),
  ]
}

function reportStatus(command: SubscriptionCommand<'ReportStatus'>, subscription: Subscription): Events {
  const { userId, at, agreementId, status, statusAt } = command
  const agreement = find(subscription, agreementId)
  const data = { userId, at, agreementId, statusAt }
  if (status === 'active' && awaitsApproval(agreement)) return approve(subscription, command, agreement)
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
      return isNews && (agreement.status === 'suspended' || agreement.paused !== 'no')
        ? [{ type: 'SubscriptionResumed', data }]
        : []
    case 'suspended':
      if (agreement.paused === 'requested') return [{ type: 'SubscriptionPaused', data }]
      if (!isNews || agreement.paused === 'yes') return []
      if (agreement.cancelled !== 'no') return [{ type: 'SubscriptionPaused', data }]
      return agreement.status === 'active'
        ? [{ type: 'SubscriptionSuspended', data: { ...data, cause: 'provider' } }]
        : []
    case 'cancelled':
      if (!isRunning(agreement)) return [ended(command, agreement, 'declined')]
      return agreement.cancelled === 'final' ? [] : [cancelled(command, agreement, { final: true })]
    case 'expired':
      return [ended(command, agreement, 'expired')]
  }
}

function reportSale(command: SubscriptionCommand<'ReportSale'>, subscription: Subscription): Events {
  const { userId, at, agreementId, saleId, amountCents, currency, credits, soldAt, periodEnd } = command
  const agreement = find(subscription, agreementId)
  if (subscription.sales.some(({ id }) => id === saleId) || findMismatched(subscription, saleId)) return []
  const sale = { userId, at, agreementId, saleId, amountCents, currency }
  const { status, tier } = agreement
  if (amountCents !== agreement.priceCents || currency !== agreement.currency)
    return [{ type: 'SubscriptionSaleMismatched', data: { ...sale, meant: { tier, periodStart: soldAt, periodEnd } } }]
  const starts = awaitsApproval(agreement) || isScheduled(agreement)
  const started = starts ? activate(subscription, command, agreement, { periodEnd }) : []
  const afterEnd = isSoldAfterEnd(started.reduce(evolve, subscription), agreementId, soldAt)
  const resumes = status === 'suspended' && agreement.cancelled === 'no' && periodEnd > at
  return [
    ...started,
    { type: 'SubscriptionPaid', data: { ...sale, tier, credits, periodStart: soldAt, periodEnd, afterEnd } },
    ...(afterEnd ? [{ type: 'SubscriptionRefundProposed', data: sale } as const] : []),
    ...(resumes ? [{ type: 'SubscriptionResumed', data: { userId, agreementId, at, statusAt: null } } as const] : []),
  ]
}

/** Returns whether a sale completed after its agreement ended, or no plan is left on which to spend its credits. */
function isSoldAfterEnd(subscription: Subscription, agreementId: string, soldAt: string): boolean {
  const { endedAt } = find(subscription, agreementId)
  return (endedAt !== null && soldAt >= endedAt) || planEndedAt(subscription, agreementId) !== null
}

function reportPaymentFailed(command: SubscriptionCommand<'ReportPaymentFailed'>, subscription: Subscription): Events {
  const { type: _, ...data } = command
  const { status, failedAt, periodStart } = find(subscription, data.agreementId)
  const isKnown = [failedAt, periodStart].some((instant) => instant !== null && instant >= data.failedAt)
  return status === 'active' && !isKnown ? [{ type: 'SubscriptionPaymentFailed', data }] : []
}

/** Returns a sale that was reported with the wrong amount or currency. */
const findMismatched = ({ proposedRefunds }: Subscription, saleId: string) =>
  proposedRefunds.find((refund) => refund.cause === 'mismatched' && refund.saleId === saleId)

function findSale({ sales }: Subscription, saleId: string): Sale {
  const sale = sales.find(({ id }) => id === saleId)
  if (!sale) throw new Rejection('unknown_sale', 'This sale was not reported as completed.')
  return sale
}

function reportReversal(command: SubscriptionCommand<'ReportReversal'>, subscription: Subscription): Events {
  const { type: _, ...reversal } = command
  const { reversals } = subscription
  if (reversals.some(({ id }) => id === reversal.reversalId)) return []
  const mismatched = findMismatched(subscription, reversal.saleId)
  if (mismatched) {
    const data = { ...reversal, agreementId: mismatched.agreementId, takenCents: reversal.amountCents, credits: 0 }
    return [{ type: 'SubscriptionSaleReversed', data }]
  }
  const sale = findSale(subscription, reversal.saleId)
  const { reversalId: id, saleId, amountCents, kind } = reversal
  const after = { ...subscription, reversals: [...reversals, { id, saleId, amountCents, kind, credits: 0 }] }
  return reverse(command, { reversal, sale, before: subscription, after })
}

type Reversing = Readonly<{
  reversal: Pick<SubscriptionCommand<'ReportReversal'>, 'saleId' | 'reversalId' | 'amountCents' | 'kind'>
  sale: Sale
  before: Subscription
  /** The subscription with the reason of the reversal, but without its claim. */
  after: Subscription
}>

function reverse({ userId, at }: Occasion, { reversal, sale, before, after }: Reversing): Events {
  const { saleId, reversalId, kind, amountCents } = reversal
  const taken = takenCents(after, sale) - takenCents(before, sale)
  // Events that predate cumulative claims can have claimed more.
  const credits = Math.max(0, unclaimedCredits(after, sale))
  const about = { userId, agreementId: sale.agreementId, at, saleId }
  const data = { ...about, reversalId, kind, amountCents, takenCents: taken, credits }
  const reversed = { type: 'SubscriptionSaleReversed', data } as const
  return [reversed, ...(taken > 0 ? endUnpaid({ userId, at }, evolve(before, reversed), sale) : [])]
}

/** Records a dispute. Winning all disputes about a sale gives back what its chargeback claimed; losing one claims it again. */
function reportDispute(command: SubscriptionCommand<'ReportDispute'>, subscription: Subscription): Events {
  const { type: _, ...dispute } = command
  const { userId, at, saleId, disputeId, statusAt } = dispute
  // It granted no credits that a dispute could concern.
  if (findMismatched(subscription, saleId)) return []
  const sale = findSale(subscription, saleId)
  const known = subscription.disputes.find((each) => each.id === disputeId && each.saleId === saleId)
  if (known && known.statusAt >= statusAt) return []
  const about = { userId, at, agreementId: sale.agreementId, saleId }
  const disputed = { type: 'SubscriptionSaleDisputed', data: { ...dispute, agreementId: sale.agreementId } } as const
  const after = evolve(subscription, disputed)
  const amountCents = takenCents(subscription, sale) - takenCents(after, sale)
  const id = `${disputeId} ${saleId} ${statusAt}`
  if (amountCents === 0) return [disputed]
  if (amountCents < 0) {
    const reversal = { saleId, reversalId: id, kind: 'reversal', amountCents: 0 } as const
    return [disputed, ...reverse(command, { reversal, sale, before: subscription, after })]
  }
  const data = { ...about, restorationId: id, amountCents, credits: Math.max(0, -unclaimedCredits(after, sale)) }
  return [disputed, { type: 'SubscriptionSaleRestored', data }]
}

/** Ends the user's plan immediately if the sale that pays for its current period is taken back whole. */
function endUnpaid(occasion: Occasion, subscription: Subscription, sale: Sale): Events {
  const current = currentOf(subscription)
  const paysForCurrent = current?.id === sale.agreementId && current.periodStart === sale.periodStart
  if (!paysForCurrent || takenCents(subscription, sale) < sale.amountCents) return []
  const { userId, at } = occasion
  return cancel({ type: 'CancelSubscription', userId, at, encryptedReason: null, atPeriodEnd: false }, subscription)
}

function cancel(command: SubscriptionCommand<'CancelSubscription'>, subscription: Subscription): Events {
  const { encryptedReason, atPeriodEnd } = command
  const current = currentOf(subscription)
  const withdrawn = withdraw(subscription, command)
  if (!current && withdrawn.length === 0) throw new Rejection('no_subscription', 'There is no subscription to cancel.')
  if (!current) return withdrawn
  if (!atPeriodEnd) return [...withdrawn, ended(command, current, 'cancelled')]
  return current.cancelled === 'no' ? [...withdrawn, cancelled(command, current, { encryptedReason })] : withdrawn
}

function reactivate(command: SubscriptionCommand<'ReactivateSubscription'>, subscription: Subscription): Events {
  const { userId, at } = command
  const current = currentOf(subscription)
  if (!current) throw new Rejection('no_subscription', 'There is no subscription to reactivate.')
  if (current.cancelled === 'no') return []
  if (current.cancelled === 'final' || (current.periodEnd !== null && current.periodEnd <= at))
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
  if (agreement.cancelled !== 'no') return [ended(occasion, agreement, 'period_end')]
  if (agreement.status === 'suspended') return [ended(occasion, agreement, 'unpaid')]
  const { userId, at } = occasion
  const data = { userId, at, agreementId: agreement.id, cause: 'unpaid', statusAt: null } as const
  return [{ type: 'SubscriptionSuspended', data }]
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
      return find(subscription, data.agreementId).paused === 'no' ? [] : [{ type: 'SubscriptionResumed', data }]
    }
    case 'ApplyDueChanges':
      return applyDueChanges(command, subscription)
  }
}

/** Decider for a user's agreements, sales and reversals. Records each fact once, however often it is reported. */
export const subscription: Decider<Subscription, SubscriptionCommand, SubscriptionEvent> = {
  category: SUBSCRIPTION,
  schemas: SUBSCRIPTION_EVENTS,
  initial: { agreements: [], sales: [], reversals: [], disputes: [], proposedRefunds: [] },
  evolve,
  decide,
  hashChained: true,
}
