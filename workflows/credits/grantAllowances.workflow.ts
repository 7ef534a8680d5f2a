import type { NoInput, Workflow } from '../engine/engine.port.ts'

export interface GrantAllowancesActivities {
  /** Grants the current month's allowance to each user who lacks it. */
  grantAllowances(input: NoInput): Promise<void>
}

export const grantAllowances: Workflow<GrantAllowancesActivities> = {
  type: 'grantAllowances',
  run: (ctx, input) => ctx.activities.grantAllowances(input),
}
