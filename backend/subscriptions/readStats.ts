import { readCredits } from '#projections/credits/readCredits.ts'
import { readSubscription } from '#projections/subscriptions/readSubscription.ts'
import { instantOrNull } from '../kernel/http/instant.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Calendar } from '../kernel/time.ts'
import type { Stats } from './contract.ts'
import { displayedTier, statusOf } from './subscriptionView.ts'

/** Returns a user's tier and credits. */
export async function readStats(
  { database, calendar }: { readonly database: Database; readonly calendar: Calendar },
  userId: string,
): Promise<Stats> {
  const [{ remaining, used }, row] = await Promise.all([
    readCredits(database, userId, new Date(calendar()).toISOString()),
    readSubscription(database, userId),
  ])
  const renews = row?.state === 'active' && !row.cancelled
  return {
    current_tier: displayedTier(row),
    current_status: statusOf(row),
    remaining_credits: remaining,
    total_credits: remaining + used,
    used_credits: used,
    next_reset_date: renews ? instantOrNull(row.period_end) : null,
  }
}
