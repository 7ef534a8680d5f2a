import type { Sale, Subscription } from './agreements.rules.ts'

type Facts = Pick<Subscription, 'reversals' | 'disputes'>

const ofSale = <T extends { saleId: string }>(all: readonly T[], { id }: Sale) =>
  all.filter(({ saleId }) => saleId === id)

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)

/**
 * Returns the part of a sale that was refunded or charged back, in cents. A chargeback reports the whole sale. It does
 * not count once all disputes about the sale are won. See docs/decisions/0015-disputes.md.
 */
export function takenCents({ reversals, disputes }: Facts, sale: Sale): number {
  const about = ofSale(disputes, sale)
  const isWon = about.length > 0 && about.every(({ outcome }) => outcome === 'won')
  const counting = ofSale(reversals, sale).filter(({ kind }) => kind === 'refund' || !isWon)
  return Math.min(sale.amountCents, sum(counting.map(({ amountCents }) => amountCents)))
}

/**
 * Returns the credits of a sale that are still to be claimed back; negative if credits are to be given back. The share
 * of credits follows the total taken back, rounded down in the buyer's favour, so that the parts of a full refund claim
 * all credits.
 */
export function unclaimedCredits(facts: Facts, sale: Sale): number {
  const share = Math.floor((sale.credits * takenCents(facts, sale)) / sale.amountCents)
  return share - sum(ofSale(facts.reversals, sale).map(({ credits }) => credits))
}
