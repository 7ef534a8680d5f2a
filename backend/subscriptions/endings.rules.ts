import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { type Agreement, currentOf, endOf, isRunning, type Subscription } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import type { EndCause, SubscriptionEvent } from './events.ts'
import { refundUnused } from './takenBack.rules.ts'

export type Events = readonly SubscriptionEvent[]
export type Occasion = { readonly userId: string; readonly at: string }

/** Returns the event that ends an agreement. */
export const ended = (
  { userId, at }: Occasion,
  { id }: Agreement,
  cause: EndCause,
  replacedBy: string | null = null,
): SubscriptionEvent => ({ type: 'SubscriptionEnded', data: { userId, agreementId: id, cause, replacedBy, at } })

/** Returns the event that lets an agreement end with its period. `final`: it has ended at the provider. */
export const cancelled = (
  { userId, at }: Occasion,
  agreement: Agreement,
  { encryptedReason = null, final = false }: { encryptedReason?: string | null; final?: boolean } = {},
): SubscriptionEvent => ({
  type: 'SubscriptionCancelled',
  data: { userId, agreementId: agreement.id, at, encryptedReason, endsAt: endOf(agreement), final },
})

/** Returns whether an agreement is approved and starts when the current one ends. */
export const isScheduled = (agreement: Agreement): agreement is Agreement & { startsAt: string } =>
  agreement.status === 'scheduled'

/** Includes agreements that expired unapproved: they become valid again if the buyer approves them late. */
export const awaitsApproval = ({ status, endCause }: Agreement) =>
  status === 'pending' || (status === 'ended' && endCause === 'not_approved')

/** Returns whether an agreement was withdrawn here, but can still be open at the provider for the buyer to approve. */
export const isLeftOpen = ({ endCause, closed }: Agreement) => endCause === 'withdrawn' && !closed

/** Returns whether there are sales of an agreement, or of those that it replaced. */
const isPaid = (subscription: Subscription, id: string): boolean =>
  subscription.sales.some(({ agreementId }) => agreementId === id) ||
  subscription.agreements.some(({ id: other, replacedBy }) => replacedBy === id && isPaid(subscription, other))

/** Ends an agreement. If it was paid but never started, the plan that continues takes over its credits. */
export const drop = (
  subscription: Subscription,
  occasion: Occasion,
  agreement: Agreement,
  cause: EndCause,
  plan = currentOf(subscription),
): SubscriptionEvent =>
  plan && !isRunning(agreement) && isPaid(subscription, agreement.id)
    ? ended(occasion, agreement, 'replaced', plan.id)
    : ended(occasion, agreement, cause)

/** Ends all agreements that have not started. If the buyer approves one later, it is not activated. */
export const withdraw = (subscription: Subscription, occasion: Occasion): Events =>
  subscription.agreements
    .filter((agreement) => awaitsApproval(agreement) || isScheduled(agreement))
    .map((agreement) => drop(subscription, occasion, agreement, 'withdrawn'))

/** Ends the plan, immediately or with its period, and withdraws agreements that have not started. @throws Rejection no_subscription */
export function cancel(command: SubscriptionCommand<'CancelSubscription'>, subscription: Subscription): Events {
  const { encryptedReason, atPeriodEnd } = command
  const current = currentOf(subscription)
  const withdrawn = withdraw(subscription, command)
  if (!current && withdrawn.length === 0) throw new Rejection('no_subscription', 'There is no subscription to cancel.')
  if (!current) return withdrawn
  if (!atPeriodEnd)
    return [...withdrawn, ended(command, current, 'cancelled'), ...refundUnused(subscription, command, current)]
  return current.cancelled === 'no' ? [...withdrawn, cancelled(command, current, { encryptedReason })] : withdrawn
}
