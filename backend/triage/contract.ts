import * as z from 'zod/mini'
import { endpoint } from '../kernel/http/contract.ts'
import { cleanLine, MAX_TYPED } from '../kernel/text/typedText.contract.ts'

/** What is done to each video of a bulk. */
const BULK_KINDS = ['release_task', 'retry_task'] as const
export type BulkKind = (typeof BULK_KINDS)[number]

/** Most videos of a bulk. */
export const MAX_BULK = 200

/** `stuck`: began to wait, or to be made, long ago. `failed`: in the last week, for no reason of its owner, and was not repeated. */
const state = z.enum(['stuck', 'failed'], 'required')

const Group = z.object({
  state,
  /** Error code of failures; null for stuck videos. */
  code: z.nullable(z.string()),
  /** Engine that was asked last; null if none was. */
  engine: z.nullable(z.string()),
  count: z.number(),
  credits: z.number(),
  people: z.number(),
  /** When the oldest one was ordered. */
  since: z.string(),
})
export type Group = z.infer<typeof Group>

const Bulk = z.object({
  id: z.string(),
  kind: z.enum(BULK_KINDS),
  operator: z.string(),
  reason: z.string(),
  count: z.number(),
  credits: z.number(),
  status: z.enum(['running', 'stopped', 'ended']),
  /** Videos for which it was done, and for which it failed; null while it runs. */
  done: z.nullable(z.number()),
  failed: z.nullable(z.number()),
  asked_at: z.string(),
})
export type Bulk = z.infer<typeof Bulk>

export const readTriage = endpoint('GET /desk/triage', {
  access: 'operator',
  answer: z.object({ success: z.literal(true), groups: z.array(Group), bulks: z.array(Bulk) }),
  summary: 'Stuck and failed videos by error and engine, and the latest bulks',
})

export const orderBulk = endpoint('POST /desk/bulks', {
  access: 'operator',
  role: 'support',
  body: z.object({
    kind: z.enum(BULK_KINDS, 'required'),
    code: z.nullable(z.string().check(z.maxLength(50, 'too_long'))),
    engine: z.nullable(z.string().check(z.maxLength(100, 'too_long'))),
    /** True only counts. */
    dry_run: z.boolean('required'),
    /** Number of videos that the dry run found, without which nothing is done. */
    expected: z.optional(z.int('invalid_number').check(z.gte(1, 'too_small'))),
    /** Kept for ever, so it must not name a person. Their owners read it. */
    reason: z
      ._default(z.string(), '')
      .check(
        z.maxLength(MAX_TYPED, { error: 'too_long', abort: true }),
        z.overwrite(cleanLine),
        z.maxLength(200, 'too_long'),
      ),
    id: z.optional(z.uuid('invalid')),
  }),
  answer: z.object({
    count: z.number(),
    credits: z.number(),
    people: z.number(),
    /** Null after a dry run. */
    bulk: z.nullable(Bulk),
  }),
  refuses: ['step_up_required', 'count_changed'],
  summary: 'Releases all stuck videos of a group, or makes all failed ones again, at most 200. First as a dry run',
})

export const stopBulk = endpoint('POST /desk/bulks/:id/stop', {
  access: 'operator',
  role: 'support',
  answer: z.object({ bulk: Bulk }),
  refuses: ['step_up_required'],
  summary: 'Stops a bulk after the video that it is at',
})
