import { type Agreement, currentOf, isRunning, latest, type Subscription } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import { cancelled, type Events, ended, isScheduled, type Occasion, withdraw } from './endings.rules.ts'
import type { SubscriptionEvent } from './events.ts'

type Start = Partial<SubscriptionEvent<'SubscriptionActivated'>['data']>

/** Returns the agreements requested before and after this one. If both are approved, the one requested later wins. */
function requestedAround({ agreements }: Subscription, agreement: Agreement) {
  const place = agreements.indexOf(agreement)
  return { earlier: agreements.slice(0, place), later: agreements.slice(place + 1) }
}

/** Activates an agreement, ends the one it replaces and withdraws the others, so that only one can be billed. */
export function activate(
  subscription: Subscription,
  { userId, at }: Occasion,
  agreement: Agreement,
  { trial = false, periodEnd = agreement.periodEnd, statusAt = null }: Start = {},
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

const scheduled = (
  { userId, at }: Occasion,
  { id: agreementId, tier }: Agreement,
  when: Pick<SubscriptionEvent<'SubscriptionScheduled'>['data'], 'startsAt' | 'statusAt'>,
): SubscriptionEvent => ({ type: 'SubscriptionScheduled', data: { userId, at, agreementId, tier, ...when } })

/**
 * Handles the buyer's approval. A smaller plan waits until the current one's paid period ends, which may have been
 * renewed since the request, and cancels the current one.
 */
export function approve(
  subscription: Subscription,
  occasion: Occasion & Start & { readonly statusAt: string | null },
  agreement: Agreement,
): Events {
  const { at, statusAt } = occasion
  const { earlier, later } = requestedAround(subscription, agreement)
  const paidUntil = earlier.find(({ status }) => status === 'active')?.periodEnd ?? null
  const startsAt = agreement.startsAt === null ? null : latest(agreement.startsAt, paidUntil)
  if (startsAt === null || startsAt <= at) return activate(subscription, occasion, agreement, occasion)
  const newer = later.find(isScheduled)
  if (newer) return [ended(occasion, agreement, 'replaced', newer.id)]
  const current = currentOf(subscription)
  return [
    ...earlier.filter(isScheduled).map((other) => ended(occasion, other, 'replaced', agreement.id)),
    scheduled(occasion, agreement, { startsAt, statusAt }),
    ...(current?.cancelled === 'no' ? [cancelled(occasion, current)] : []),
  ]
}

/** Starts an agreement with its first sale, or lets it wait if the current plan is paid for longer. */
export function startPaid(
  subscription: Subscription,
  sale: SubscriptionCommand<'ReportSale'>,
  agreement: Agreement,
): Events {
  const hasPlan = currentOf(subscription)?.status === 'active'
  if (hasPlan && !isScheduled(agreement)) return approve(subscription, { ...sale, statusAt: null }, agreement)
  const waits = hasPlan && agreement.startsAt! > sale.at
  return waits ? [] : activate(subscription, sale, agreement, { periodEnd: sale.periodEnd })
}

/** Delays a smaller plan by the period for which the cancelled one was billed before the pause of its billing. */
export function delayNext(
  { agreements }: Subscription,
  sale: SubscriptionCommand<'ReportSale'>,
  { status, cancelled }: Agreement,
): Events {
  const next = agreements.find((other) => isScheduled(other) && other.startsAt! < sale.periodEnd)
  // In logs of earlier releases, a reactivated plan can have a next one, which starts on its date.
  if (!next || status !== 'active' || cancelled === 'no') return []
  return [scheduled(sale, next, { startsAt: sale.periodEnd, statusAt: null })]
}
