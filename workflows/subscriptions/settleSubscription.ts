import type { CommandContext, FindOrigin, Origin } from '#backend/kernel/eventsourcing/command.ts'
import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { type Agreement, forfeitedSales, type Subscription } from '#backend/subscriptions/agreements.rules.ts'
import type { SubscriptionCommand } from '#backend/subscriptions/commands.ts'
import { SUBSCRIPTION, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import type { PaymentProvider } from '#backend/subscriptions/paymentProvider.port.ts'
import { nextChangeDueAt, subscription } from '#backend/subscriptions/subscription.decider.ts'

/** What becomes of credits when a subscription changes; each call may be repeated. */
export interface SubscriptionCredits {
  grantSale(userId: string, saleId: string, amount: number, kept: boolean, origin?: Origin): Promise<void>
  reverseSale(
    userId: string,
    reversal: { saleId: string; reversalId: string; amount: number; reason: string },
  ): Promise<void>
  forfeitSales(userId: string, saleIds: readonly string[]): Promise<void>
}

export interface SettleDeps {
  readonly handle: Handle
  readonly credits: SubscriptionCredits
  readonly payments: PaymentProvider
  readonly originOf: FindOrigin
  readonly now: () => number
}

/**
 * Brings everything in step with what a user's subscription says. It may be stopped after any step and run again: each
 * step is decided by what the streams hold. @returns in how many milliseconds to look again; null: never by itself
 */
export async function settleSubscription(deps: SettleDeps, userId: string): Promise<number | null> {
  const { handle, credits, now } = deps
  const at = () => new Date(now()).toISOString()
  const give = async (command: SubscriptionCommand): Promise<Subscription> =>
    (await handle(subscription, userId, command, await contextWithin(deps, command))).state

  let state = await give({ type: 'ApplyDueChanges', userId, at: at() })
  for (const { id, agreementId, credits: amount, afterEnd } of state.sales)
    await credits.grantSale(userId, id, amount, afterEnd, await originOfAgreement(deps, userId, agreementId))
  for (const { id, saleId, credits: amount, kind } of state.reversals)
    await credits.reverseSale(userId, { saleId, reversalId: id, amount, reason: kind })
  await credits.forfeitSales(userId, forfeitedSales(state))
  for (const agreement of state.agreements) state = (await tellProvider(deps, userId, agreement, give)) ?? state
  const due = nextChangeDueAt(state)
  return due === undefined ? null : Math.max(Date.parse(due) - now(), 0)
}

/** Two reports of one moment are two commands: the whole command is its id. */
export const contextOf = (command: SubscriptionCommand): CommandContext => ({
  commandId: JSON.stringify(command),
  actor: 'system',
  correlationId: command.userId,
})

/** What concerns an agreement follows from the call that asked for it. */
export async function contextWithin(deps: Pick<SettleDeps, 'originOf'>, command: SubscriptionCommand) {
  const context = contextOf(command)
  if (!('agreementId' in command)) return context
  return { ...context, ...(await originOfAgreement(deps, command.userId, command.agreementId)) }
}

const originOfAgreement = ({ originOf }: Pick<SettleDeps, 'originOf'>, userId: string, agreementId: string) =>
  originOf<SubscriptionEvent>(`${SUBSCRIPTION}-${userId}`, {
    id: agreementId,
    matches: (event) => event.type === 'SubscriptionRequested' && event.data.agreementId === agreementId,
  })

type Give = (command: SubscriptionCommand) => Promise<Subscription>

/** Makes the provider bill what is wished for, and no more. Answers the subscription when something was learned. */
async function tellProvider(
  { payments, now }: SettleDeps,
  userId: string,
  { id, status, cancelled, paused, closed }: Agreement,
  give: Give,
): Promise<Subscription | undefined> {
  const about = { userId, agreementId: id, at: new Date(now()).toISOString() }
  const report = async () => {
    const there = await payments.getAgreement(id)
    if (!there) return undefined
    const { statusAt, trial, nextBillingAt: periodEnd } = there
    return give({ type: 'ReportStatus', ...about, status: there.status, statusAt, trial, periodEnd })
  }
  if (status === 'ended' && !closed) {
    const there = await payments.getAgreement(id)
    if (there?.status === 'active' || there?.status === 'suspended')
      await payments.cancelAgreement(id, 'The subscription is over.')
    return report()
  }
  if (status !== 'active' && status !== 'suspended') return undefined
  if (cancelled === 'at_period_end' && paused !== 'yes') {
    // Written down first, so that the provider's rest is never taken for its own doing.
    await give({ type: 'PauseBilling', ...about })
    if ((await payments.getAgreement(id))?.status === 'active')
      await payments.pauseAgreement(id, 'The subscription was cancelled at the end of its period.')
    return report()
  }
  if (cancelled === 'no' && paused !== 'no') {
    if ((await payments.getAgreement(id))?.status === 'suspended')
      await payments.resumeAgreement(id, 'The subscription was reactivated.')
    const there = await payments.getAgreement(id)
    if (there?.status === 'active') return give({ type: 'ReportResumed', ...about, statusAt: there.statusAt })
    return report()
  }
  return undefined
}
