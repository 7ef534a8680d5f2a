import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { currentOf, type Subscription } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import { drop, type Events, ended, isScheduled, withdraw } from './endings.rules.ts'
import { packSales } from './packs.rules.ts'
import { isWithdrawable, takenCents } from './takenBack.rules.ts'

/** Returns a sale with the time of its payment. */
function findSale({ sales, packs, ...subscription }: Subscription, saleId: string) {
  const plan = sales.find(({ id }) => id === saleId)
  if (plan) return { ...plan, paidAt: plan.periodStart }
  const pack = packSales({ sales, packs, ...subscription }).find(({ id }) => id === saleId)
  const paidAt = packs.find((each) => each.saleId === saleId)?.soldAt
  if (!pack || !paidAt) throw new Rejection('not_found', 'There is no such payment.')
  return { ...pack, paidAt }
}

/**
 * Withdraws from the contract of a sale within 14 days. Ends its plan, and proposes the refund of the unused share, which
 * is automatic if nothing was used. See docs/decisions/0072-withdrawal.md.
 * @throws Rejection not_found, withdrawal_over
 */
export function withdrawSale(command: SubscriptionCommand<'WithdrawSale'>, subscription: Subscription): Events {
  const { userId, at, saleId, usedCredits } = command
  const { agreementId, amountCents, currency, credits, paidAt } = findSale(subscription, saleId)
  if (subscription.withdrawals.some((withdrawal) => withdrawal.saleId === saleId)) return []
  if (!isWithdrawable(paidAt, at) || takenCents(subscription, { id: saleId, amountCents }) > 0)
    throw new Rejection('withdrawal_over', 'The time to withdraw from this contract is over, or it was refunded.')
  const sale = { userId, at, agreementId, saleId }
  const proposedCents = Math.floor((amountCents * Math.max(0, credits - usedCredits)) / credits)
  const isProposed = subscription.proposedRefunds.some((refund) => refund.saleId === saleId)
  const automatic = usedCredits === 0 && { automatic: true as const }
  return [
    { type: 'SubscriptionWithdrawn', data: { ...sale, usedCredits, proposedCents, currency } },
    // An order of a pack is no agreement.
    ...endPlan(command, subscription, agreementId),
    ...(isProposed || proposedCents === 0
      ? []
      : [
          {
            type: 'SubscriptionRefundProposed',
            data: { ...sale, amountCents, currency, cause: 'withdrawn', ...automatic },
          } as const,
        ]),
  ]
}

/** Ends the agreement if it is the plan, or would become it. One that another has replaced has ended. */
function endPlan({ userId, at }: SubscriptionCommand<'WithdrawSale'>, subscription: Subscription, id: string): Events {
  const occasion = { userId, at }
  const current = currentOf(subscription)
  if (current?.id === id) return [...withdraw(subscription, occasion), ended(occasion, current, 'cancelled')]
  const scheduled = subscription.agreements.find((agreement) => agreement.id === id && isScheduled(agreement))
  return scheduled ? [drop(subscription, occasion, scheduled, 'withdrawn')] : []
}
