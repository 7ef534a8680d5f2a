import { readSubscription } from '#projections/subscriptions/readSubscription.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { openTaskLimit, PLANS, type Tier } from './plans.contract.ts'
import { effectiveTier } from './subscriptionView.ts'

/** Returns what a plan allows. Priority 1 is served first. */
export function allowanceOf(tier: Tier) {
  const { concurrent, priority, watermark } = PLANS[tier]
  return { openTasks: openTaskLimit(tier), concurrent, priority, fullHd: tier !== 'free', watermark }
}

export type Allowance = ReturnType<typeof allowanceOf>

export const readAllowance = async (database: Database, userId: string): Promise<Allowance> =>
  allowanceOf(effectiveTier(await readSubscription(database, userId)))
