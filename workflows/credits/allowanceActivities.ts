import { forEachReadable } from '../engine/forEachReadable.ts'
import type { GrantAllowancesActivities } from './grantAllowances.workflow.ts'

export interface AllowanceDeps {
  /** Monthly allowance in credits; 0 for none. */
  readonly monthlyCredits: number
  /** Yields pages of the ids of users who lack the current month's allowance. */
  readonly usersWithoutAllowance: () => AsyncIterable<readonly string[]>
  readonly credits: { grantAllowance(userId: string, amount: number): Promise<void> }
}

export const createAllowanceActivities = (deps: AllowanceDeps): GrantAllowancesActivities => ({
  async grantAllowances() {
    const { monthlyCredits, credits } = deps
    if (monthlyCredits === 0) return
    for await (const userIds of deps.usersWithoutAllowance())
      await forEachReadable(userIds, (userId) => credits.grantAllowance(userId, monthlyCredits))
  },
})
