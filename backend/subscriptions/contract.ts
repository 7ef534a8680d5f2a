import * as z from 'zod/mini'
import { endpoint } from '../http/contract.ts'
import { TIERS } from './plans.ts'

export { openTaskLimit, PLANS, type Plan, TIERS, type Tier } from './plans.ts'

export const SUBSCRIPTION_STATUSES = ['active', 'cancelled', 'expired', 'suspended', 'pending', 'trial'] as const

export const Stats = z.object({
  current_tier: z.enum(TIERS),
  current_status: z.enum(SUBSCRIPTION_STATUSES),
  /** Spendable now: credits held for open tasks are taken off. */
  remaining_credits: z.number(),
  total_credits: z.number(),
  used_credits: z.number(),
  next_reset_date: z.nullable(z.string()),
})
export type Stats = z.infer<typeof Stats>

export const stats = endpoint({
  method: 'GET',
  path: '/subscriptions/stats',
  access: 'user',
  answer: Stats,
  summary: "The user's tier and credits",
})
