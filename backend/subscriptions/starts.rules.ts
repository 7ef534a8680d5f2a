import { type Agreement, currentOf, earliest, isRunning, latest, type Subscription } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import { cancelled, drop, type Events, ended, isScheduled, type Occasion } from './endings.rules.ts'
import type { SubscriptionEvent } from './events.ts'
import { refundDuplicates } from './takenBack.rules.ts'

type Start = Partial<SubscriptionEvent<'SubscriptionActivated'>['data']>

/**
 * Returns whether another agreement was approved after this one, in whichever order the approvals are reported: the buyer's last
 * approval wins.
 */
const isOutdone = ({ agreements }: Subscription, agreement: Agreement, approvedAt: string): boolean => {
  const own = earliest(agreement.approvedAt, approvedAt)
  return agreements.some(
    (other) => other.id !== agreement.id && (isRunning(other) || isScheduled(other)) && (other.approvedAt ?? '') > own,
  )
}

/**
 * Activates an agreement, ends the one it replaces and withdraws scheduled ones, so that only one can be billed. Agreements
 * that await approval stay open: the buyer can still approve one, which then replaces this one.
 */
export function activate(
  subscription: Subscription,
  { userId, at }: Occasion,
  agreement: Agreement,
  { trial = false, periodEnd = agreement.periodEnd, statusAt = null }: Start = {},
): Events {
  const { id, tier, priceCents, currency } = agreement
  const others = subscription.agreements.filter((other) => other.id !== id)
  const [running, waiting] = [others.filter(isRunning), others.filter(isScheduled)]
  const data = { userId, at, agreementId: id, tier, trial, priceCents, currency, periodEnd, statusAt }
  return [
    ...running.map((other) => ended({ userId, at }, other, 'replaced', id)),
    ...waiting.map((other) => drop(subscription, { userId, at }, other, 'withdrawn', agreement)),
    ...refundDuplicates(subscription, { userId, at }, [...running, ...waiting], agreement),
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
  occasion: Occasion & Start & { readonly statusAt: string | null; readonly approvedAt: string },
  agreement: Agreement,
): Events {
  const { at, statusAt, approvedAt } = occasion
  if (isOutdone(subscription, agreement, approvedAt)) return [ended(occasion, agreement, 'withdrawn')]
  const others = subscription.agreements.filter(({ id }) => id !== agreement.id)
  const paidUntil = others.find(({ status }) => status === 'active')?.periodEnd ?? null
  const startsAt = agreement.startsAt === null ? null : latest(agreement.startsAt, paidUntil)
  if (startsAt === null || startsAt <= at) return activate(subscription, occasion, agreement, occasion)
  const current = currentOf(subscription)
  const replaced = others.filter(isScheduled)
  return [
    ...replaced.map((other) => ended(occasion, other, 'replaced', agreement.id)),
    ...refundDuplicates(subscription, occasion, replaced, agreement),
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
  const approval = { ...sale, statusAt: null, approvedAt: sale.soldAt }
  if (hasPlan && !isScheduled(agreement)) return approve(subscription, approval, agreement)
  if (hasPlan && isScheduled(agreement) && agreement.startsAt > sale.at) return []
  if (!isScheduled(agreement) && isOutdone(subscription, agreement, sale.soldAt))
    return [ended(sale, agreement, 'withdrawn')]
  return activate(subscription, sale, agreement, { periodEnd: sale.periodEnd })
}

/** Delays a smaller plan by the period for which the cancelled one was billed before the pause of its billing. */
export function delayNext(
  { agreements }: Subscription,
  sale: SubscriptionCommand<'ReportSale'>,
  { status }: Agreement,
): Events {
  const next = agreements.find((other) => isScheduled(other) && other.startsAt < sale.periodEnd)
  if (!next || status !== 'active') return []
  return [scheduled(sale, next, { startsAt: sale.periodEnd, statusAt: null })]
}
