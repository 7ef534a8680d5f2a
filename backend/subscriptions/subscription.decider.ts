import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { type Agreement, currentOf, evolve, pendingOf, type Subscription, scheduledOf } from './agreements.rules.ts'
import type {
  CancelSubscription,
  PassTime,
  ReactivateSubscription,
  ReportReversal,
  ReportSale,
  ReportStatus,
  SubscriptionCommand,
} from './commands.ts'
import { type EndCause, SUBSCRIPTION, type SubscriptionEvent } from './events.ts'

const DAY_MS = 24 * 3_600_000
/** An approval link is of no use any more after this time. */
const APPROVAL_MS = 3 * DAY_MS
/** A plan that rests unpaid for this long is over. */
const SUSPENSION_MS = 30 * DAY_MS

const after = (instant: string, ms: number) => new Date(Date.parse(instant) + ms).toISOString()

/** When time alone changes something about an agreement; null: never, as it stands. */
function dueAt({ status, cancelled, ...agreement }: Agreement): string | null {
  switch (status) {
    case 'pending':
      return after(agreement.requestedAt, APPROVAL_MS)
    case 'scheduled':
      return agreement.startsAt
    case 'active':
      return cancelled === 'no' ? agreement.graceUntil : (agreement.periodEnd ?? agreement.requestedAt)
    case 'suspended':
      return cancelled === 'no'
        ? after(agreement.suspendedAt!, SUSPENSION_MS)
        : (agreement.periodEnd ?? agreement.requestedAt)
    case 'ended':
      return null
  }
}

/** The next instant at which time alone changes something; undefined: none. */
export const nextDue = ({ agreements }: Subscription): string | undefined =>
  agreements
    .map(dueAt)
    .filter((instant) => instant !== null)
    .toSorted()[0]

const find = ({ agreements }: Subscription, id: string): Agreement => {
  const agreement = agreements.find((each) => each.id === id)
  if (!agreement) throw new Rejection('unknown_agreement', 'Nobody here has asked for this agreement.')
  return agreement
}

const end = (
  { userId, at }: { userId: string; at: string },
  { id }: Agreement,
  cause: EndCause,
  replacedBy: string | null = null,
): SubscriptionEvent => ({
  type: 'SubscriptionEnded',
  data: { userId, agreementId: id, cause, replacedBy, at },
})

type About = { readonly userId: string; readonly at: string }
type Told = Pick<ReportStatus, 'statusAt' | 'trial' | 'periodEnd'>

/** The agreement takes over; of two that were approved, the one asked for later stays. */
function activate(
  subscription: Subscription,
  about: About,
  agreement: Agreement,
  told: Partial<Told> = {},
): SubscriptionEvent[] {
  const { agreements } = subscription
  const living = agreements.filter(
    ({ id, status }) => id !== agreement.id && (status === 'active' || status === 'suspended'),
  )
  const newer = living.find((other) => agreements.indexOf(other) > agreements.indexOf(agreement))
  if (newer) return [end(about, agreement, 'replaced', newer.id)]
  const { id, tier, priceCents, currency } = agreement
  const { trial = false, periodEnd = null, statusAt = null } = told
  const data = { ...about, agreementId: id, tier, trial, priceCents, currency, periodEnd, statusAt }
  return [...living.map((other) => end(about, other, 'replaced', id)), { type: 'SubscriptionActivated', data }]
}

/** The agreement begins when the present one ends, which is therefore not renewed. */
function schedule(subscription: Subscription, about: About, agreement: Agreement, startsAt: string, statusAt: string) {
  const { id, tier } = agreement
  const scheduled = {
    type: 'SubscriptionScheduled',
    data: { ...about, agreementId: id, tier, startsAt, statusAt },
  } as const
  const current = currentOf(subscription)
  return current?.cancelled === 'no' ? [scheduled, cancelled(about, current, null, false)] : [scheduled]
}

const cancelled = (
  about: About,
  { id, periodEnd }: Agreement,
  encryptedReason: string | null,
  final: boolean,
): SubscriptionEvent => ({
  type: 'SubscriptionCancelled',
  data: { ...about, agreementId: id, encryptedReason, endsAt: periodEnd, final },
})

/** Given up because nobody approved it in time, an agreement that was approved all the same is as good as new. */
const waitsForApproval = ({ status, endCause }: Agreement) =>
  status === 'pending' || (status === 'ended' && endCause === 'not_approved')

function reportStatus(command: ReportStatus, subscription: Subscription): readonly SubscriptionEvent[] {
  const { userId, at, agreementId, status, statusAt } = command
  const agreement = find(subscription, agreementId)
  const about = { userId, at }
  const told = { ...about, agreementId, statusAt }
  const isNews = agreement.statusAt === null || statusAt > agreement.statusAt
  if (agreement.status === 'ended' && !(status === 'active' && waitsForApproval(agreement))) {
    const isOver = status === 'cancelled' || status === 'expired'
    return isOver && !agreement.closed ? [{ type: 'SubscriptionClosed', data: { ...about, agreementId } }] : []
  }
  switch (status) {
    case 'pending':
      return []
    case 'active':
      if (waitsForApproval(agreement))
        return agreement.startsAt !== null && agreement.startsAt > at
          ? schedule(subscription, about, agreement, agreement.startsAt, statusAt)
          : activate(subscription, about, agreement, command)
      // What the user wished stands, whoever had the provider bill again: it is paused anew.
      return isNews && (agreement.status === 'suspended' || agreement.paused !== 'no')
        ? [{ type: 'SubscriptionResumed', data: told }]
        : []
    case 'suspended':
      if (agreement.paused === 'asked') return [{ type: 'SubscriptionPaused', data: told }]
      if (!isNews || agreement.paused === 'yes' || agreement.status === 'scheduled') return []
      if (agreement.cancelled !== 'no') return [{ type: 'SubscriptionPaused', data: told }]
      return agreement.status === 'active'
        ? [{ type: 'SubscriptionSuspended', data: { ...told, cause: 'provider' } }]
        : []
    case 'cancelled':
      if (agreement.status === 'pending' || agreement.status === 'scheduled') return [end(about, agreement, 'declined')]
      return agreement.cancelled === 'final' ? [] : [cancelled(about, agreement, null, true)]
    case 'expired':
      return [end(about, agreement, 'expired')]
  }
}

function reportSale(command: ReportSale, subscription: Subscription): readonly SubscriptionEvent[] {
  const { userId, at, agreementId, saleId, amountCents, currency, credits, soldAt, periodEnd } = command
  const agreement = find(subscription, agreementId)
  const about = { userId, at }
  if (subscription.sales.some(({ id }) => id === saleId) || subscription.mismatched.includes(saleId)) return []
  if (amountCents !== agreement.priceCents || currency !== agreement.currency) {
    const data = { ...about, agreementId, saleId, amountCents, currency }
    return [{ type: 'SubscriptionSaleMismatched', data }]
  }
  const isNew = waitsForApproval(agreement) || agreement.status === 'scheduled'
  const { tier, endedAt } = agreement
  const sale = { tier, saleId, amountCents, currency, credits, periodStart: soldAt, periodEnd }
  const afterEnd = !isNew && endedAt !== null && soldAt > endedAt
  const resumes = agreement.status === 'suspended' && agreement.cancelled === 'no' && periodEnd > at
  return [
    ...(isNew ? activate(subscription, about, agreement, { periodEnd }) : []),
    { type: 'SubscriptionPaid', data: { ...about, agreementId, ...sale, afterEnd } },
    ...(resumes ? [{ type: 'SubscriptionResumed', data: { ...about, agreementId, statusAt: null } } as const] : []),
  ]
}

function reportReversal(command: ReportReversal, { sales, reversals }: Subscription): readonly SubscriptionEvent[] {
  const { userId, at, saleId, reversalId, amountCents, kind } = command
  const sale = sales.find(({ id }) => id === saleId)
  if (!sale) throw new Rejection('unknown_sale', 'This sale was never reported as completed.')
  if (reversals.some(({ id }) => id === reversalId)) return []
  // Of a partial refund the credits are claimed in proportion, rounded in the buyer's favour.
  const credits = Math.floor((sale.credits * Math.min(amountCents, sale.amountCents)) / sale.amountCents)
  const data = { userId, agreementId: sale.agreementId, at, saleId, reversalId, kind, amountCents, credits }
  return [{ type: 'SubscriptionSaleReversed', data }]
}

function cancel(command: CancelSubscription, subscription: Subscription): readonly SubscriptionEvent[] {
  const { userId, at, encryptedReason, atPeriodEnd } = command
  const about = { userId, at }
  const current = currentOf(subscription)
  const waiting = [scheduledOf(subscription), pendingOf(subscription)].filter((agreement) => agreement !== undefined)
  if (!current && waiting.length === 0) throw new Rejection('no_subscription', 'There is no subscription to cancel.')
  const withdrawn = waiting.map((agreement) => end(about, agreement, 'withdrawn'))
  if (!current) return withdrawn
  if (!atPeriodEnd) return [...withdrawn, end(about, current, 'cancelled')]
  return current.cancelled === 'no' ? [...withdrawn, cancelled(about, current, encryptedReason, false)] : withdrawn
}

function reactivate({ userId, at }: ReactivateSubscription, subscription: Subscription): readonly SubscriptionEvent[] {
  const about = { userId, at }
  const current = currentOf(subscription)
  const scheduled = scheduledOf(subscription)
  if (!current) throw new Rejection('no_subscription', 'There is no subscription to reactivate.')
  if (current.cancelled === 'no') return []
  if (current.cancelled === 'final' || (current.periodEnd !== null && current.periodEnd <= at))
    throw new Rejection(
      'cannot_reactivate',
      'This subscription has ended at the payment provider. Please subscribe anew.',
    )
  const data = { ...about, agreementId: current.id }
  return [...(scheduled ? [end(about, scheduled, 'withdrawn')] : []), { type: 'SubscriptionReactivated', data }]
}

function passTime({ userId, at }: PassTime, subscription: Subscription): readonly SubscriptionEvent[] {
  const about = { userId, at }
  const due = subscription.agreements.find((agreement) => {
    const instant = dueAt(agreement)
    return instant !== null && instant <= at
  })
  if (!due) return []
  const first = timePassed(about, due, subscription)
  // One change may make another due: the present agreement ends, and the scheduled one begins.
  return [...first, ...passTime({ type: 'PassTime', ...about }, first.reduce(evolve, subscription))]
}

function timePassed(about: About, agreement: Agreement, subscription: Subscription): readonly SubscriptionEvent[] {
  if (agreement.status === 'pending') return [end(about, agreement, 'not_approved')]
  if (agreement.status === 'scheduled') return activate(subscription, about, agreement)
  if (agreement.cancelled !== 'no') return [end(about, agreement, 'period_end')]
  if (agreement.status === 'suspended') return [end(about, agreement, 'unpaid')]
  const data = { ...about, agreementId: agreement.id, cause: 'unpaid', statusAt: null } as const
  return [{ type: 'SubscriptionSuspended', data }]
}

function decide(command: SubscriptionCommand, subscription: Subscription): readonly SubscriptionEvent[] {
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
    case 'ReportPaymentFailed': {
      const { userId, at, agreementId, failedAt, graceUntil } = command
      const { status, failedAt: known, periodStart } = find(subscription, agreementId)
      const isOld = (known !== null && known >= failedAt) || (periodStart !== null && periodStart >= failedAt)
      const data = { userId, agreementId, at, failedAt, graceUntil }
      return status === 'active' && !isOld ? [{ type: 'SubscriptionPaymentFailed', data }] : []
    }
    case 'ReportReversal':
      return reportReversal(command, subscription)
    case 'CancelSubscription':
      return cancel(command, subscription)
    case 'ReactivateSubscription':
      return reactivate(command, subscription)
    case 'PauseBilling': {
      const { type: _, ...about } = command
      const { cancelled, paused } = find(subscription, command.agreementId)
      const isWished = cancelled === 'at_period_end' && paused === 'no'
      return isWished ? [{ type: 'SubscriptionPaused', data: { ...about, statusAt: null } }] : []
    }
    case 'ReportResumed': {
      const { type: _, ...data } = command
      return find(subscription, command.agreementId).paused === 'no' ? [] : [{ type: 'SubscriptionResumed', data }]
    }
    case 'PassTime':
      return passTime(command, subscription)
  }
}

/** All six statuses of a subscription come from here; each fact is stored once, however often and late it is reported. */
export const subscription: Decider<Subscription, SubscriptionCommand, SubscriptionEvent> = {
  category: SUBSCRIPTION,
  initial: { agreements: [], sales: [], reversals: [], mismatched: [] },
  evolve,
  decide,
  hashChained: true,
}
