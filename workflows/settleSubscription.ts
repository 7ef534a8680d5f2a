import type { CommandContext } from '#backend/eventsourcing/command.ts'
import type { Handle } from '#backend/eventsourcing/handle.ts'
import { type Agreement, forfeitedSales, type Subscription } from '#backend/subscriptions/agreements.ts'
import type { SubscriptionCommand } from '#backend/subscriptions/commands.ts'
import type { PaymentProvider } from '#backend/subscriptions/paymentProvider.ts'
import { nextDue, subscription } from '#backend/subscriptions/subscription.ts'

/** What becomes of credits when a subscription changes; each call may be repeated. */
export interface SubscriptionCredits {
  grantSale(userId: string, saleId: string, amount: number, kept: boolean): Promise<void>
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
    (await handle(subscription, userId, command, contextOf(command))).state

  let state = await give({ type: 'PassTime', userId, at: at() })
  for (const { id, credits: amount, afterEnd } of state.sales) await credits.grantSale(userId, id, amount, afterEnd)
  for (const { id, saleId, credits: amount, kind } of state.reversals)
    await credits.reverseSale(userId, { saleId, reversalId: id, amount, reason: kind })
  await credits.forfeitSales(userId, forfeitedSales(state))
  for (const agreement of state.agreements) state = (await tellProvider(deps, userId, agreement, give)) ?? state
  const due = nextDue(state)
  return due === undefined ? null : Math.max(Date.parse(due) - now(), 0)
}

/** Two reports of one moment are two commands: the whole command is its id. */
export const contextOf = (command: SubscriptionCommand): CommandContext => ({
  commandId: JSON.stringify(command),
  actor: 'system',
  correlationId: command.userId,
})

/** Makes the provider bill what is wished for, and no more. Answers the subscription when something was learned. */
async function tellProvider(
  { payments, now }: SettleDeps,
  userId: string,
  agreement: Agreement,
  give: (command: SubscriptionCommand) => Promise<Subscription>,
): Promise<Subscription | undefined> {
  const { id, status, cancelled, closed } = agreement
  if (closed || (status !== 'ended' && status !== 'active' && status !== 'suspended')) return undefined
  const isSettled = cancelled === 'final' || (cancelled === 'at_period_end') === agreement.paused
  if (status !== 'ended' && isSettled) return undefined
  const before = await payments.look(id)
  if (status === 'ended') {
    if (before?.status === 'active' || before?.status === 'suspended')
      await payments.cancel(id, 'The subscription is over.')
  } else if (cancelled === 'at_period_end') {
    if (before?.status === 'active')
      await payments.pause(id, 'The subscription was cancelled at the end of its period.')
  } else if (cancelled === 'no' && before?.status === 'suspended') {
    await payments.resume(id, 'The subscription was reactivated.')
  }
  const after = await payments.look(id)
  if (!after) return undefined
  return give({
    type: 'ReportStatus',
    userId,
    agreementId: id,
    status: after.status,
    statusAt: after.statusAt,
    trial: after.trial,
    periodEnd: after.nextBillingAt,
    at: new Date(now()).toISOString(),
  })
}
