import * as z from 'zod/mini'
import { endpoint, paging } from '../kernel/http/contract.ts'

export const ENTRY_KINDS = ['grant', 'hold', 'spend', 'release', 'expiry', 'forfeit', 'reversal', 'adjustment'] as const

export const CreditEntry = z.object({
  id: z.string(),
  /** A `hold` becomes a `spend` when its video is there. */
  kind: z.enum(ENTRY_KINDS),
  /** What it adds to the balance: whole credits, below zero where it takes some. */
  amount: z.number(),
  /** Below zero: owed. */
  balance_after: z.number(),
  /** A word of REASONS, or an operator's own words. */
  reason: z.string(),
  task_id: z.optional(z.string()),
  lot_id: z.optional(z.string()),
  created_at: z.string(),
})
export type CreditEntry = z.infer<typeof CreditEntry>

/** Reasons that the site has words for. */
export const REASONS = [
  'free',
  'subscription',
  'payment',
  'video',
  'not delivered',
  'cancelled',
  'abandoned',
  'account erased',
  'expired',
  'subscription_ended',
  'refund',
  'reversal',
] as const

export const history = endpoint({
  method: 'GET',
  path: '/credits/history',
  access: 'user',
  query: z.object(paging(20)),
  answer: z.object({ entries: z.array(CreditEntry), total: z.number() }),
  summary: "Every movement of the user's credits, newest first",
})

export const historyCsv = endpoint({
  method: 'GET',
  path: '/credits/history.csv',
  access: 'user',
  summary: 'The whole history as a file: RFC 4180, UTF-8',
})
