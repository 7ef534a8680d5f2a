import { openTaskLimit, PLANS, type Tier } from './plans.contract.ts'

/** What a plan allows: tasks open and made at once, the place in the queue, 1080P, and downloads without a watermark. */
export interface Allowance {
  readonly openTasks: number
  readonly concurrent: number
  /** 1 goes first. */
  readonly priority: number
  readonly fullHd: boolean
  readonly watermark: boolean
}

export function allowanceOf(tier: Tier): Allowance {
  const { concurrent, priority, watermark } = PLANS[tier]
  return { openTasks: openTaskLimit(tier), concurrent, priority, fullHd: tier !== 'free', watermark }
}
