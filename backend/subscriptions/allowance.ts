import { openTaskLimit, PLANS, type Tier } from './plans.contract.ts'

export type Allowance = ReturnType<typeof allowanceOf>

/** Returns what a plan allows. Priority 1 is served first. */
export function allowanceOf(tier: Tier) {
  const { concurrent, priority, watermark } = PLANS[tier]
  return { openTasks: openTaskLimit(tier), concurrent, priority, fullHd: tier !== 'free', watermark }
}
