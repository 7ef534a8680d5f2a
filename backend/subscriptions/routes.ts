import { readCredits } from '#projections/credits/readCredits.ts'
import type { Database } from '../database/orm.ts'
import type { Serve } from '../http/endpoint.ts'
import * as contract from './contract.ts'

export interface SubscriptionRoutes {
  readonly database: Database
  readonly tierOf: (userId: string) => Promise<contract.Tier>
  readonly now: () => number
}

/** A user's tier and credits, as the API and the socket tell them. */
export async function statsOf({ database, tierOf, now }: SubscriptionRoutes, userId: string): Promise<contract.Stats> {
  const { remaining, used } = await readCredits(database, userId, new Date(now()).toISOString())
  return {
    current_tier: await tierOf(userId),
    current_status: 'active',
    remaining_credits: remaining,
    total_credits: remaining + used,
    used_credits: used,
    next_reset_date: null,
  }
}

export function serveSubscriptions(serve: Serve, deps: SubscriptionRoutes): void {
  serve(contract.stats, ({ userId }) => statsOf(deps, userId))
}
