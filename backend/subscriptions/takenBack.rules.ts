import type { Agreement, Sale, Subscription } from './agreements.rules.ts'
import type { Events, Occasion } from './endings.rules.ts'

export type Facts = Pick<Subscription, 'reversals' | 'disputes'>

export const ofSale = <T extends { saleId: string }>(all: readonly T[], { id }: Pick<Sale, 'id'>) =>
  all.filter(({ saleId }) => saleId === id)

export const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)

/**
 * Returns the part of a sale that was refunded or charged back, in cents. A chargeback reports the whole sale. It does
 * not count once all disputes about the sale are won, and a refund not if it failed. See docs/decisions/0015-disputes.md.
 */
export function takenCents({ reversals, disputes }: Facts, sale: Pick<Sale, 'id' | 'amountCents'>): number {
  const about = ofSale(disputes, sale)
  const isWon = about.length > 0 && about.every(({ outcome }) => outcome === 'won')
  const counting = ofSale(reversals, sale).filter(({ kind, failed }) => !failed && (kind === 'refund' || !isWon))
  return Math.min(sale.amountCents, sum(counting.map(({ amountCents }) => amountCents)))
}

/** Time after a payment in which ending the plan immediately proposes the refund of the unused share. */
const WITHDRAWAL_MS = 14 * 24 * 3_600_000

/** Returns the end of the time to withdraw from a payment, in epoch milliseconds. */
export const withdrawableUntil = (paidAt: string) => Date.parse(paidAt) + WITHDRAWAL_MS

/** Returns whether the time to withdraw from a payment is not over. */
export const isWithdrawable = (paidAt: string, at: string) => withdrawableUntil(paidAt) >= Date.parse(at)

/** Proposes the refund of a plan's last sale, which the user ends soon after paying for it. */
export const refundUnused = (subscription: Subscription, { userId, at }: Occasion, { id }: Agreement): Events =>
  subscription.sales
    .filter(({ agreementId, periodEnd }) => agreementId === id && periodEnd > at)
    .filter((sale) => isWithdrawable(sale.periodStart, at) && takenCents(subscription, sale) < sale.amountCents)
    .filter((sale) => !subscription.proposedRefunds.some(({ saleId }) => saleId === sale.id))
    .map(({ id: saleId, agreementId, amountCents, currency }) => ({
      type: 'SubscriptionRefundProposed',
      data: { userId, at, agreementId, saleId, amountCents, currency, cause: 'cancelled' },
    }))

/**
 * Proposes the refund of sales that pay for time to come, of agreements that one replaces although it was not requested to.
 * Both were open at the same time, and the buyer's last approval wins. See docs/decisions/0057-the-last-approval-wins.md.
 */
export const refundDuplicates = (
  subscription: Subscription,
  { userId, at }: Occasion,
  replaced: readonly Agreement[],
  { over }: Agreement,
): Events =>
  replaced
    .filter(({ id }) => id !== over)
    .flatMap(({ id }) => subscription.sales.filter(({ agreementId }) => agreementId === id))
    .filter((sale) => sale.periodEnd > at && takenCents(subscription, sale) === 0)
    .map(({ id: saleId, agreementId, amountCents, currency }) => ({
      type: 'SubscriptionRefundProposed',
      data: { userId, at, agreementId, saleId, amountCents, currency, cause: 'duplicate', automatic: true },
    }))
