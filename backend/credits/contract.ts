import * as z from 'zod/mini'
import { endpoint, paging } from '../kernel/http/contract.ts'

export * from './allowances.contract.ts'

const ENTRY_KINDS = ['grant', 'hold', 'spend', 'release', 'expiry', 'forfeit', 'reversal', 'adjustment'] as const

/** Validity of credits that return to a user after their lot is over, ms. */
export const RETURNED_MS = 30 * 24 * 3_600_000

export const CreditEntry = z.object({
  id: z.string(),
  /** A `hold` becomes a `spend` when the video is finished. */
  kind: z.enum(ENTRY_KINDS),
  /** Change in the balance, in whole credits; negative for a debit. */
  amount: z.number(),
  /** Balance after this entry, in whole credits; negative if the user owes credits. */
  balance_after: z.number(),
  /** One of REASONS, or text entered by an operator. */
  reason: z.string(),
  task_id: z.optional(z.string()),
  /** The film, unless it was deleted. */
  film: z.optional(z.object({ prompt: z.string(), thumbnail_url: z.nullable(z.string()) })),
  lot_id: z.optional(z.string()),
  /** The member of the team whose film it is; absent if it is the account's owner. */
  by: z.optional(z.object({ id: z.string(), name: z.string() })),
  created_at: z.string(),
})
export type CreditEntry = z.infer<typeof CreditEntry>

const GRANTS = ['free', 'allowance', 'subscription', 'payment', 'pack', 'code'] as const
const RELEASES = ['not delivered', 'cancelled', 'abandoned', 'account erased'] as const
export type ReleaseReason = (typeof RELEASES)[number]
const LOSSES = ['expired', 'subscription_ended', 'refund', 'reversal'] as const
const RETURNS = ['dispute_won'] as const
/** A release that returns less than was held, because the lots of the credits are over. */
const FORFEITS = ['forfeited'] as const
/** Reasons that the site translates. */
export const REASONS = [...GRANTS, 'video', ...RELEASES, ...LOSSES, ...RETURNS, ...FORFEITS] as const

/** The account of a team: its owner sees every movement, a member those of the own films. */
const OfTeam = { team_id: z.optional(z.uuid('unknown_team')) }

export const history = endpoint('GET /credits/history', {
  access: 'user',
  scope: 'account:read',
  query: z.object({ ...paging(20), ...OfTeam }),
  answer: z.object({ entries: z.array(CreditEntry), total: z.number() }),
  refuses: ['not_in_team'],
  summary: "Every movement of the user's credits, newest first",
})

export const historyCsv = endpoint('GET /credits/history.csv', {
  access: 'user',
  scope: 'account:read',
  query: z.object(OfTeam),
  file: 'text/csv',
  refuses: ['not_in_team'],
  summary: 'The whole history as a CSV file (RFC 4180, UTF-8)',
})
