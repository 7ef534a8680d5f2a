import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { type Agreement, currentOf, evolve, isRunning, type Subscription } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import { type EndCause, SUBSCRIPTION, type SubscriptionEvent } from './events.ts'

type Events = readonly SubscriptionEvent[]
type Occasion = { readonly userId: string; readonly at: string }

const DAY_MS = 24 * 3_600_000
/** Time after which a pending agreement ends if the buyer has not approved it. */
const APPROVAL_TIMEOUT_MS = 3 * DAY_MS
/** Time after which a suspended agreement ends if it is still unpaid. */
const SUSPENSION_TIMEOUT_MS = 30 * DAY_MS

const after = (instant: string, ms: number) => new Date(Date.parse(instant) + ms).toISOString()

/** Returns the due time of an agreement's next time-based change; null if there is none. */
function changeDueAt(agreement: Agreement): string | null {
  const { status, cancelled, requestedAt, startsAt, periodEnd, graceUntil, suspendedAt } = agreement
  switch (status) {
    case 'pending':
      return after(requestedAt, APPROVAL_TIMEOUT_MS)
    case 'scheduled':
      return startsAt
    case 'active':
      return cancelled === 'no' ? graceUntil : (periodEnd ?? requestedAt)
    case 'suspended':
      return cancelled === 'no' ? after(suspendedAt!, SUSPENSION_TIMEOUT_MS) : (periodEnd ?? requestedAt)
    case 'ended':
      return null
  }
}

/** Returns the earliest time at which `ApplyDueChanges` has an effect; undefined if there is none. */
export const nextChangeDueAt = ({ agreements }: Subscription): string | undefined =>
  agreements
    .map(changeDueAt)
    .filter((instant) => instant !== null)
    .toSorted()[0]

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

/** Activates an agreement and ends the one it replaces. If both are approved, the one requested later wins. */
function activate(
  { agreements }: Subscription,
  { userId, at }: Occasion,
  agreement: Agreement,
  {
    trial = false,
    periodEnd = null,
    statusAt = null,
  }: Partial<SubscriptionEvent<'SubscriptionActivated'>['data']> = {},
): Events {
  const running = agreements.filter((other) => other !== agreement && isRunning(other))
  const newer = running.find((other) => agreements.indexOf(other) > agreements.indexOf(agreement))
  if (newer) return [ended({ userId, at }, agreement, 'replaced', newer.id)]
  const { id, tier, priceCents, currency } = agreement
  const data = { userId, at, agreementId: id, tier, trial, priceCents, currency, periodEnd, statusAt }
  return [
    ...running.map((other) => ended({ userId, at }, other, 'replaced', id)),
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
  const current = currentOf(subscription)
  return [
    { type: 'SubscriptionScheduled', data: { userId, at, agreementId, tier, startsAt, statusAt } },
    ...(current?.cancelled === 'no' ? [cancelled(command, current)] : []),
  ]
}

/** Includes agreements that expired unapproved: they become valid again if the buyer approves them late. */
const awaitsApproval = ({ status, endCause }: Agreement) =>
  status === 'pending' || (status === 'ended' && endCause === 'not_approved')

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
      if (!isNews || agreement.paused === 'yes' || agreement.status === 'scheduled') return []
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
  if (subscription.sales.some(({ id }) => id === saleId) || subscription.mismatched.includes(saleId)) return []
  const sale = { userId, at, agreementId, saleId, amountCents, currency }
  if (amountCents !== agreement.priceCents || currency !== agreement.currency)
    return [{ type: 'SubscriptionSaleMismatched', data: sale }]
  const { status, tier, endedAt } = agreement
  const starts = awaitsApproval(agreement) || status === 'scheduled'
  const resumes = status === 'suspended' && agreement.cancelled === 'no' && periodEnd > at
  const afterEnd = !starts && endedAt !== null && soldAt > endedAt
  return [
    ...(starts ? activate(subscription, command, agreement, { periodEnd }) : []),
    { type: 'SubscriptionPaid', data: { ...sale, tier, credits, periodStart: soldAt, periodEnd, afterEnd } },
    ...(resumes ? [{ type: 'SubscriptionResumed', data: { userId, agreementId, at, statusAt: null } } as const] : []),
  ]
}

function reportPaymentFailed(command: SubscriptionCommand<'ReportPaymentFailed'>, subscription: Subscription): Events {
  const { type: _, ...data } = command
  const { status, failedAt, periodStart } = find(subscription, data.agreementId)
  const isKnown = [failedAt, periodStart].some((instant) => instant !== null && instant >= data.failedAt)
  return status === 'active' && !isKnown ? [{ type: 'SubscriptionPaymentFailed', data }] : []
}

function reportReversal(command: SubscriptionCommand<'ReportReversal'>, { sales, reversals }: Subscription): Events {
  const { type: _, ...reversal } = command
  const sale = sales.find(({ id }) => id === reversal.saleId)
  if (!sale) throw new Rejection('unknown_sale', 'This sale was not reported as completed.')
  if (reversals.some(({ id }) => id === reversal.reversalId)) return []
  // A partial refund claims back credits in proportion, rounded down in the buyer's favour.
  const credits = Math.floor((sale.credits * Math.min(reversal.amountCents, sale.amountCents)) / sale.amountCents)
  return [{ type: 'SubscriptionSaleReversed', data: { ...reversal, agreementId: sale.agreementId, credits } }]
}

function cancel(command: SubscriptionCommand<'CancelSubscription'>, subscription: Subscription): Events {
  const { encryptedReason, atPeriodEnd } = command
  const current = currentOf(subscription)
  const waiting = waitingOf(subscription)
  if (!current && waiting.length === 0) throw new Rejection('no_subscription', 'There is no subscription to cancel.')
  const withdrawn = waiting.map((agreement) => ended(command, agreement, 'withdrawn'))
  if (!current) return withdrawn
  if (!atPeriodEnd) return [...withdrawn, ended(command, current, 'cancelled')]
  return current.cancelled === 'no' ? [...withdrawn, cancelled(command, current, { encryptedReason })] : withdrawn
}

/** Returns the latest scheduled and the latest pending agreement, if any. */
const waitingOf = ({ agreements }: Subscription): readonly Agreement[] =>
  (['scheduled', 'pending'] as const).flatMap((status) => agreements.findLast((each) => each.status === status) ?? [])

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
  const scheduled = subscription.agreements.findLast(({ status }) => status === 'scheduled')
  return [
    ...(scheduled ? [ended(command, scheduled, 'withdrawn')] : []),
    { type: 'SubscriptionReactivated', data: { userId, at, agreementId: current.id } },
  ]
}

function applyDueChanges(command: SubscriptionCommand<'ApplyDueChanges'>, subscription: Subscription): Events {
  const due = subscription.agreements.find((agreement) => {
    const instant = changeDueAt(agreement)
    return instant !== null && instant <= command.at
  })
  if (!due) return []
  const events = applyDueChange(command, due, subscription)
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
  initial: { agreements: [], sales: [], reversals: [], mismatched: [] },
  evolve,
  decide,
  hashChained: true,
}
