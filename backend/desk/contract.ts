import * as z from 'zod/mini'
import { Email, SecurityRecord } from '../accounts/contract.ts'
import { ApiKey } from '../apiKeys/contract.ts'
import { CreditEntry } from '../credits/contract.ts'
import { endpoint, Message, paging } from '../kernel/http/contract.ts'
import { typedLine } from '../kernel/text/typedText.contract.ts'
import { Invoice, Stats } from '../subscriptions/contract.ts'
import { DESK_KINDS } from './kinds.contract.ts'

export { type DeskKind, hasAmount, SUBJECTS, WAIT_HOURS } from './kinds.contract.ts'

/** Present if addresses in the answer are shortened, until the session proves its second factor again. */
const masked = z.optional(z.literal(true))
const time = z.string()
const count = z.number()

/** A passkey's signature with the options of a `signature_required`, whose `id` and `amount` the signed order repeats. */
const credential = z.optional(z.record(z.string(), z.unknown()))

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
  /** `asked`: it is being carried out. `waiting`: another operator must approve it. `scheduled`: until `due_at`, it can be stopped. */
  status: z.enum(['waiting', 'scheduled', 'asked', 'approved', 'refused', 'done', 'failed']),
  /** Code of the error because of which it was refused, or failed. */
  why: z.nullable(z.string()),
  asked_at: time,
  due_at: z.nullable(time),
  ended_at: z.nullable(time),
})
export type DeskAction = z.infer<typeof DeskAction>

export const DeskOrder = z.object({
  kind: z.enum(DESK_KINDS, 'required'),
  subject: z.string('required').check(z.minLength(1, 'required'), z.maxLength(200, 'too_long')),
  /** Credits of a grant or take, cents of a refund. Default for a refund: its exact unused share. */
  amount: z.optional(z.int('invalid_number').check(z.gte(1, 'too_small'), z.lte(100_000_000, 'too_large'))),
  /** The new address of `change_address`. */
  address: z.optional(Email),
  /** Kept for ever, so it must not name a person, who reads it. */
  reason: typedLine(200),
  /** Id of the new action. The same order with the same id is one action. */
  id: z.optional(z.uuid('invalid')),
  credential,
})
export type DeskOrder = z.output<typeof DeskOrder>

export const askAction = endpoint('POST /desk/actions', {
  access: 'operator',
  role: 'support',
  body: DeskOrder,
  status: 201,
  answer: z.object({ action: DeskAction, masked }),
  refuses: [
    ...['step_up_required', 'signature_required', 'passkey_refused'],
    ...['not_found', 'nothing_to_refund', 'second_operator_required', 'idempotency_key_reused'],
    ...['no_second_factor', 'email_already_registered'],
  ],
  summary:
    'Orders an action, and waits a few seconds for its outcome. Operators with a passkey sign it: `signature_required` ' +
    'has the text and the WebAuthn options, whose challenge is its hash',
})

export const approveAction = endpoint('POST /desk/actions/:id/approve', {
  access: 'operator',
  role: 'support',
  body: z._default(z.object({ credential }), {}),
  answer: z.object({ action: DeskAction, masked }),
  refuses: ['step_up_required', 'signature_required', 'passkey_refused', 'not_waiting', 'own_approval'],
  summary: 'Approves an action of another operator, and waits a few seconds for its outcome',
})

export const refuseAction = endpoint('POST /desk/actions/:id/refuse', {
  access: 'operator',
  role: 'support',
  answer: z.object({ action: DeskAction, masked }),
  refuses: ['step_up_required', 'not_waiting'],
  summary: 'Refuses an action that waits for an approval. Operators may refuse their own',
})

export const stopAction = endpoint('POST /desk/actions/:id/stop', {
  access: 'operator',
  role: 'support',
  answer: z.object({ action: DeskAction, masked }),
  refuses: ['step_up_required', 'too_late'],
  summary: 'Stops an action that waits for its time',
})

const SEARCH_KINDS = ['person', 'video', 'payment', 'code', 'key', 'action'] as const

export const search = endpoint('GET /desk/search', {
  access: 'operator',
  query: z.object({ q: z.string('required').check(z.maxLength(200, 'too_long')) }),
  answer: z.object({
    results: z.array(
      z.object({
        kind: z.enum(SEARCH_KINDS),
        id: z.string(),
        label: z.string(),
        /** The person whose page it leads to; null if there is none. */
        user_id: z.nullable(z.string()),
      }),
    ),
    masked,
  }),
  summary:
    'Finds people and what is theirs by address, name or id, and by the id of a video, payment, order or action, the ' +
    'number of an invoice, a code, or an API key or its last four characters. Addresses are shortened',
})
export type Found = z.infer<typeof search.answer & object>['results'][number]

const listed = <T extends z.ZodMiniType>(item: T) => z.object({ items: z.array(item), total: count })

/** A person, and up to 20 of each of their things, newest first. */
export const Person = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  language: z.enum(['en', 'zh']),
  created_at: time,
  verified_at: z.nullable(time),
  suspended: z.boolean(),
  second_factors: z.array(z.string()),
  plan: Stats,
  balance: listed(
    z.extend(CreditEntry, { /** Place of the event in the stream of the credit account. */ revision: count }),
  ),
  videos: listed(
    z.object({
      id: z.string(),
      status: z.string(),
      model: z.string(),
      engine: z.nullable(z.string()),
      engine_model: z.nullable(z.string()),
      error_code: z.nullable(z.string()),
      /** What the engine said of a failure. */
      error_detail: z.nullable(z.string()),
      credits: count,
      created_at: time,
      /** Path of its still; null until it is finished. */
      poster: z.nullable(z.string()),
      /** Whether it has a public page, or operators removed it; null: neither. */
      page: z.nullable(z.enum(['shared', 'removed'])),
    }),
  ),
  payments: listed(
    z.extend(Invoice, {
      /** Cents that can be refunded. */ refundable: count,
      /** The exact unused share, in cents. */ unused: count,
    }),
  ),
  keys: z.array(ApiKey),
  sessions: z.array(
    z.object({
      id: z.string(),
      browser: z.nullable(z.string()),
      system: z.nullable(z.string()),
      created_at: time,
      last_used_at: time,
    }),
  ),
  mails: z.array(z.object({ id: z.string(), at: time, subject: z.string() })),
  security: listed(SecurityRecord),
  notes: z.array(z.object({ id: z.string(), at: time, operator: z.string(), text: z.string() })),
  actions: listed(DeskAction),
})
export type Person = z.infer<typeof Person>

export const person = endpoint('GET /desk/people/:id', {
  access: 'operator',
  answer: z.object({ person: Person, masked }),
  summary: 'Everything about a person. Addresses are shortened',
})

export const revealPerson = endpoint('POST /desk/people/:id/reveal', {
  access: 'operator',
  role: 'viewer',
  answer: z.object({ person: Person }),
  refuses: ['step_up_required'],
  summary: 'Everything about a person, with whole addresses. The log of actions records it',
})

export const personAt = endpoint('GET /desk/people/:id/at', {
  access: 'operator',
  query: z.object({ at: z.iso.datetime({ error: 'invalid' }) }),
  answer: z.object({
    at: time,
    balance: count,
    /** Null: none. */
    plan: z.nullable(z.object({ tier: z.string(), status: z.string(), until: z.nullable(time) })),
    /** Videos that were not finished, with the credits that they held. */
    open: z.array(z.object({ task_id: z.string(), credits: count })),
  }),
  summary: 'Balance, plan and open videos of a person at a past instant, from the log',
})

export const personPoster = endpoint('GET /desk/videos/:id/poster', {
  access: 'operator',
  file: 'image/jpeg',
  summary: 'The still of a finished video',
})

export const NoteText = z.object({ text: typedLine(500) })

export const writeNote = endpoint('POST /desk/people/:id/notes', {
  access: 'operator',
  role: 'support',
  body: NoteText,
  status: 201,
  answer: Message,
  refuses: ['step_up_required'],
  summary: 'Writes a note about a person, which is deleted with the account',
})

export const listActions = endpoint('GET /desk/actions', {
  access: 'operator',
  query: z.object({
    ...paging(10),
    user: z.optional(z.uuid('invalid')),
    status: z.optional(z.literal('waiting', 'invalid')),
  }),
  answer: z.object({ success: z.literal(true), masked, actions: z.array(DeskAction), total: count }),
  summary: 'Actions that operators ordered, newest first',
})
