import * as z from 'zod/mini'
import { endpoint, paging } from '../kernel/http/contract.ts'
import { typedLine } from '../kernel/text/typedText.contract.ts'

/** What a case is about. `refund`, `mismatch` and `withdrawal` are proposed refunds, with their cause. */
export const CASE_KINDS = [
  'dispute',
  'refund',
  'withdrawal',
  'mismatch',
  'failed_refund',
  'late_payment',
  'unmatched_payment',
  'report',
] as const
export type CaseKind = (typeof CASE_KINDS)[number]

/** How a case ended. Operators say `done` or `dismissed`; the log ends the others. */
const CASE_OUTCOMES = ['done', 'dismissed', 'refunded', 'won', 'lost'] as const
export type CaseOutcome = (typeof CASE_OUTCOMES)[number]

const time = z.string()

export const Case = z.object({
  id: z.string(),
  kind: z.enum(CASE_KINDS),
  /** Id of the sale, refund, dispute, webhook or video that it is about. */
  subject: z.string(),
  /** The person whom it concerns; null if unknown. */
  user_id: z.nullable(z.string()),
  sale_id: z.nullable(z.string()),
  /** In the smallest unit of the currency. */
  amount: z.nullable(z.number()),
  currency: z.nullable(z.string()),
  /** Cause or reason, as a word. */
  detail: z.nullable(z.string()),
  due_at: z.nullable(time),
  /** Operator who works on it. */
  owner: z.nullable(z.string()),
  outcome: z.nullable(z.enum(CASE_OUTCOMES)),
  note: z.nullable(z.string()),
  opened_at: time,
  closed_at: z.nullable(time),
})
export type Case = z.infer<typeof Case>

export const CaseCounts = z.object({ open: z.number(), overdue: z.number(), unowned: z.number(), mine: z.number() })
export type CaseCounts = z.infer<typeof CaseCounts>

export const listCases = endpoint('GET /desk/cases', {
  access: 'operator',
  query: z.object({
    ...paging(10),
    state: z._default(z.enum(['open', 'closed']), 'open'),
    kind: z.optional(z.enum(CASE_KINDS)),
    owner: z.optional(z.enum(['me', 'none'])),
  }),
  answer: z.object({
    success: z.literal(true),
    cases: z.array(Case),
    total: z.number(),
    counts: CaseCounts,
    masked: z.optional(z.literal(true)),
  }),
  summary: 'Cases that operators work on: those that are due first come first. With the number of open ones',
})

export const readCase = endpoint('GET /desk/cases/:id', {
  access: 'operator',
  answer: z.object({
    case: Case,
    /** What happened in it, oldest first. */
    history: z.array(
      z.object({
        at: time,
        what: z.enum(['opened', 'assigned', 'released', 'closed']),
        by: z.nullable(z.string()),
        outcome: z.nullable(z.enum(CASE_OUTCOMES)),
        note: z.nullable(z.string()),
      }),
    ),
    masked: z.optional(z.literal(true)),
  }),
  summary: 'A case, with what happened in it',
})
export type CaseHistory = z.infer<typeof readCase.answer & object>['history']

export const assignCase = endpoint('POST /desk/cases/:id/assign', {
  access: 'operator',
  role: 'support',
  body: z.object({ /** False: nobody works on it any more. */ mine: z.boolean('required') }),
  answer: z.object({ case: Case }),
  refuses: ['case_closed'],
  summary: 'Takes a case, or gives it back',
})

export const CaseClosing = z.object({
  outcome: z.enum(['done', 'dismissed'], 'required'),
  /** Kept for ever, so it must not name a person. */
  note: typedLine(200),
})

export const closeCase = endpoint('POST /desk/cases/:id/close', {
  access: 'operator',
  role: 'support',
  body: CaseClosing,
  answer: z.object({ case: Case }),
  refuses: ['step_up_required', 'case_closed'],
  summary: 'Ends a case',
})

export const dossier = endpoint('GET /desk/cases/:id/dossier.pdf', {
  access: 'operator',
  role: 'support',
  file: 'application/pdf',
  refuses: ['step_up_required'],
  summary:
    'Evidence of what was delivered for the payment of a case: the account, the ledger, files with hashes, downloads',
})
