import * as z from 'zod/mini'
import { endpoint, paging } from '../kernel/http/contract.ts'
import { cleanLine, MAX_TYPED } from '../kernel/text/typedText.contract.ts'
import { DESK_KINDS } from './kinds.contract.ts'

export { DESK_KINDS, type DeskKind, hasAmount, SUBJECTS } from './kinds.contract.ts'

/** Present if addresses in the answer are shortened, until the session proves its second factor again. */
const masked = z.optional(z.literal(true))
const time = z.string()
const count = z.number()
const line = (max: number) =>
  z
    .string('required')
    .check(
      z.maxLength(MAX_TYPED, { error: 'too_long', abort: true }),
      z.overwrite(cleanLine),
      z.minLength(1, 'required'),
      z.maxLength(max, 'too_long'),
    )

export const DeskAction = z.object({
  id: z.string(),
  kind: z.enum(DESK_KINDS),
  /** Id of the user, sale or task that it is about. */
  subject: z.string(),
  user_id: z.string(),
  /** Credits, or cents of a refund. */
  amount: z.nullable(z.number()),
  currency: z.nullable(z.string()),
  reason: z.string(),
  operator: z.string(),
  /** `asked`: it is being carried out. `waiting`: another operator must approve it. */
  status: z.enum(['waiting', 'asked', 'approved', 'refused', 'done', 'failed']),
  /** Code of the error because of which it was refused, or failed. */
  why: z.nullable(z.string()),
  asked_at: time,
  ended_at: z.nullable(time),
})
export type DeskAction = z.infer<typeof DeskAction>

export const DeskOrder = z.object({
  kind: z.enum(DESK_KINDS, 'required'),
  subject: z.string('required').check(z.minLength(1, 'required'), z.maxLength(200, 'too_long')),
  /** Credits of a grant or take, cents of a refund. Default for a refund: its exact unused share. */
  amount: z.optional(z.int('invalid_number').check(z.gte(1, 'too_small'), z.lte(100_000_000, 'too_large'))),
  /** Kept for ever, so it must not name a person. A person who is suspended reads it. */
  reason: line(200),
  /** Id of the new action. The same order with the same id is one action. */
  id: z.optional(z.uuid('invalid')),
})
export type DeskOrder = z.output<typeof DeskOrder>

export const askAction = endpoint('POST /desk/actions', {
  access: 'operator',
  body: DeskOrder,
  status: 201,
  answer: z.object({ action: DeskAction, masked }),
  refuses: ['step_up_required', 'not_found', 'nothing_to_refund', 'second_operator_required', 'idempotency_key_reused'],
  summary: 'Orders an action, and waits a few seconds for its outcome',
})

export const listActions = endpoint('GET /desk/actions', {
  access: 'operator',
  query: z.object({ ...paging(10), user: z.optional(z.uuid('invalid')) }),
  answer: z.object({ success: z.literal(true), masked, actions: z.array(DeskAction), total: count }),
  summary: 'Actions that operators ordered, newest first',
})
