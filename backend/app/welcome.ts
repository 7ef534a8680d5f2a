import type { Credits } from '../credits/credits.ts'
import { PLANS } from '../subscriptions/plans.contract.ts'

/** Creates a function that grants a new user the free credits and the current month's allowance, once. */
export const createWelcome =
  (credits: Credits, monthlyCredits: number) =>
  async (userId: string): Promise<void> => {
    await credits.grantFreeCredits(userId, PLANS.free.credits)
    if (monthlyCredits > 0) await credits.grantAllowance(userId, monthlyCredits)
  }
