import type { Decision } from '../kernel/eventsourcing/pure/decider.ts'
import type { Subscription } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import type { SubscriptionEvent } from './events.ts'
import { packSales } from './packs.rules.ts'
import { ofSale, sum } from './takenBack.rules.ts'

const isAmount = (amount: number) => Number.isSafeInteger(amount) && amount >= 0

/**
 * Returns what a decision breaks that always holds: a sale is recorded once, no amount is negative, and neither more credits
 * are claimed back of a sale than it granted nor more money is proposed for a refund than was paid.
 */
export function faultOf({
  events,
  after,
}: Decision<Subscription, SubscriptionCommand, SubscriptionEvent>): string | undefined {
  for (const id of new Set(events.flatMap(({ data }) => ('saleId' in data ? [data.saleId] : [])))) {
    const [sale, ...others] = [...after.sales, ...packSales(after)].filter((each) => each.id === id)
    if (others.length > 0) return `records sale ${id} twice`
    const { credits, amountCents: paid } = sale ?? NO_CREDITS
    const reversals = ofSale(after.reversals, { id })
    const proposed = ofSale(after.proposedRefunds, { id }).map(({ amountCents }) => amountCents)
    const taken = reversals.map(({ amountCents }) => amountCents)
    const claimed = sum(reversals.map((reversal) => reversal.credits))
    if (![credits, paid, claimed, ...proposed, ...taken].every(isAmount))
      return `leaves an impossible amount of sale ${id}`
    if (claimed > credits) return `claims ${claimed} of the ${credits} credits of sale ${id}`
    if (proposed.some((cents) => cents > paid)) return `proposes to refund more than the ${paid} cents of sale ${id}`
  }
  return undefined
}

/** A sale that was reported with another amount than agreed. */
const NO_CREDITS = { credits: 0, amountCents: Number.MAX_SAFE_INTEGER }
