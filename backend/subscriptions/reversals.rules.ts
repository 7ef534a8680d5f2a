import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import {
  type Agreement,
  currentOf,
  evolve,
  type Reversal,
  type Sale,
  type Subscription,
  successorOf,
} from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import { drop, type Events, ended, isScheduled, type Occasion, withdraw } from './endings.rules.ts'
import { packSales } from './packs.rules.ts'
import { activate } from './starts.rules.ts'
import { type Facts, ofSale, sum, takenCents } from './takenBack.rules.ts'

/** A sale whose money can be taken back. `periodStart` is null if it pays for no period. */
type Reversible = Pick<Sale, 'id' | 'agreementId' | 'amountCents' | 'credits'> & { readonly periodStart: string | null }

/**
 * Returns the credits of a sale that are still to be claimed back; negative if credits are to be given back. The share
 * of credits follows the total taken back, rounded down in the buyer's favour, so that the parts of a full refund claim
 * all credits.
 */
function unclaimedCredits(facts: Facts, sale: Reversible): number {
  const share = Math.floor((sale.credits * takenCents(facts, sale)) / sale.amountCents)
  return share - sum(ofSale(facts.reversals, sale).map(({ credits }) => credits))
}

/** Returns a sale that was reported with the wrong amount or currency. */
export const findMismatched = ({ proposedRefunds }: Subscription, saleId: string) =>
  proposedRefunds.find((refund) => refund.cause === 'mismatched' && refund.saleId === saleId)

/** Returns a sale. A mismatched one granted no credits and pays for no period. @throws Rejection unknown_sale */
function findSale(subscription: Subscription, saleId: string): Reversible {
  const mismatched = findMismatched(subscription, saleId)
  if (mismatched) return { ...mismatched, id: saleId, credits: 0, periodStart: null }
  const sale = [...subscription.sales, ...packSales(subscription)].find(({ id }) => id === saleId)
  if (!sale) throw new Rejection('unknown_sale', 'This sale was not reported as completed.')
  return sale
}

/** Claims the credits of a sale that was refunded or charged back, and ends the plan if nothing pays for it any more. */
export function reportReversal(command: SubscriptionCommand<'ReportReversal'>, subscription: Subscription): Events {
  const { type: _, ...reversal } = command
  const { reversals } = subscription
  if (reversals.some(({ id }) => id === reversal.reversalId)) return []
  const sale = findSale(subscription, reversal.saleId)
  const { reversalId: id, saleId, amountCents, kind, at } = reversal
  const after = { ...subscription, reversals: [...reversals, { id, saleId, amountCents, kind, credits: 0, at }] }
  return reverse(command, { reversal, sale, before: subscription, after })
}

type Reversing = Readonly<{
  reversal: Pick<SubscriptionCommand<'ReportReversal'>, 'saleId' | 'reversalId' | 'amountCents' | 'kind' | 'assumed'>
  sale: Reversible
  before: Subscription
  /** The subscription with the reason of the reversal, but without its claim. */
  after: Subscription
}>

function reverse({ userId, at }: Occasion, { reversal, sale, before, after }: Reversing): Events {
  const { saleId, reversalId, kind, amountCents, assumed } = reversal
  const taken = takenCents(after, sale) - takenCents(before, sale)
  const credits = unclaimedCredits(after, sale)
  const about = { userId, agreementId: sale.agreementId, at, saleId }
  const data = { ...about, reversalId, kind, amountCents, takenCents: taken, credits, ...(assumed && { assumed }) }
  const reversed = { type: 'SubscriptionSaleReversed', data } as const
  return [reversed, ...(taken > 0 ? endUnpaid({ userId, at }, after, sale) : [])]
}

/** Returns the id of what gives back what a failed refund claimed. */
const failureOf = (saleId: string, reversalId: string) => `${reversalId} ${saleId} failed`

/** Returns the reversals that a failed refund undoes, once: its own, and one that was assumed in its place. */
export function undoneBy({ reversals }: Subscription, saleId: string, reversalId: string): readonly Reversal[] {
  if (reversals.some(({ id }) => id === failureOf(saleId, reversalId))) return []
  return reversals.filter(
    ({ id, saleId: of, assumed, failed }) => !failed && (id === reversalId || (assumed && of === saleId)),
  )
}

/** Returns whether something of a sale was taken back after a refund of it had failed. */
export function isTakenSince({ reversals }: Subscription, saleId: string, reversalId: string): boolean {
  const failure = reversals.findIndex(({ id }) => id === failureOf(saleId, reversalId))
  const later = ofSale(reversals.slice(failure + 1), { id: saleId })
  return later.some(({ kind, failed }) => kind !== 'restored' && !failed)
}

/** Gives back what a refund claimed that failed after it was reported. A plan that ended with it stays ended. */
export function reportFailedRefund(
  { userId, at, saleId, reversalId }: SubscriptionCommand<'ReportFailedRefund'>,
  subscription: Subscription,
): Events {
  if (undoneBy(subscription, saleId, reversalId).length === 0) return []
  const sale = findSale(subscription, saleId)
  const about = {
    userId,
    at,
    agreementId: sale.agreementId,
    saleId,
    reversalId,
    restorationId: failureOf(saleId, reversalId),
  }
  const restored = (amountCents: number, credits: number) =>
    ({ type: 'SubscriptionSaleRestored', data: { ...about, amountCents, credits } }) as const
  const after = evolve(subscription, restored(0, 0))
  const amountCents = takenCents(subscription, sale) - takenCents(after, sale)
  return [restored(amountCents, 0 - unclaimedCredits(after, sale))]
}

/** Records a dispute. Winning all disputes about a sale gives back what its chargeback claimed; losing one claims it again. */
export function reportDispute(command: SubscriptionCommand<'ReportDispute'>, subscription: Subscription): Events {
  const { type: _, ...dispute } = command
  const { userId, at, saleId, disputeId, statusAt } = dispute
  const sale = findSale(subscription, saleId)
  const known = subscription.disputes.find((each) => each.id === disputeId && each.saleId === saleId)
  if (known && known.statusAt >= statusAt) return []
  // An appeal claims nothing until it is lost.
  if (known?.outcome === 'won' && dispute.outcome === 'open') return []
  const about = { userId, at, agreementId: sale.agreementId, saleId }
  const disputed = { type: 'SubscriptionSaleDisputed', data: { ...dispute, agreementId: sale.agreementId } } as const
  const after = evolve(subscription, disputed)
  const amountCents = takenCents(subscription, sale) - takenCents(after, sale)
  const id = `${disputeId} ${saleId} ${statusAt}`
  if (amountCents === 0) return [disputed]
  if (amountCents < 0) {
    const reversal = { saleId, reversalId: id, kind: 'reversal', amountCents: 0 } as const
    return [disputed, ...reverse(command, { reversal, sale, before: subscription, after })]
  }
  const data = { ...about, restorationId: id, amountCents, credits: 0 - unclaimedCredits(after, sale) }
  return [disputed, { type: 'SubscriptionSaleRestored', data }]
}

/** Ends the agreement whose latest sale is taken back whole. A next plan that is paid already starts in its place. */
function endUnpaid(occasion: Occasion, subscription: Subscription, sale: Reversible): Events {
  if (sale.periodStart === null) return []
  const agreement = subscription.agreements.find(({ id }) => id === sale.agreementId)
  if (agreement?.periodStart !== sale.periodStart || takenCents(subscription, sale) < sale.amountCents) return []
  if (isScheduled(agreement)) return [drop(subscription, occasion, agreement, 'withdrawn')]
  if (agreement !== currentOf(subscription)) return []
  const next = subscription.agreements.find((other) => isScheduled(other) && other.periodStart !== null)
  if (next) return activate(subscription, occasion, next)
  const withdrawn = withdraw(subscription, occasion)
  // A withdrawn plan that was paid leaves its credits to this one.
  const isPaid = isPaidBefore(withdrawn.reduce(evolve, subscription), agreement, occasion.at)
  return [...withdrawn, ended(occasion, agreement, isPaid ? 'refunded' : 'cancelled')]
}

/** Returns whether a sale of an agreement that this one replaced pays for time to come, and was not taken back whole. */
const isPaidBefore = (subscription: Subscription, agreement: Agreement, at: string) =>
  subscription.sales.some(
    (sale) =>
      sale.agreementId !== agreement.id &&
      sale.periodEnd > at &&
      takenCents(subscription, sale) < sale.amountCents &&
      successorOf(subscription, sale.agreementId) === agreement,
  )
