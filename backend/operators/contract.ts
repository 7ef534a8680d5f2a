import * as z from 'zod/mini'
import { factorEndpoints, PasskeyAnswer, TicketAndCode } from '../accounts/secondFactors.contract.ts'
import { ApiKey } from '../apiKeys/contract.ts'
import { CASE_KINDS } from '../cases/contract.ts'
import { endpoint, paging } from '../kernel/http/contract.ts'
import { typedLine } from '../kernel/text/typedText.contract.ts'

export * from './engines.contract.ts'
export * from './graphs.contract.ts'
export * from './roll/contract.ts'

// Days are dates in the operator's time zone (`YYYY-MM-DD`). Times are UTC, ISO 8601.

const count = z.number()
const day = z.string()
const Visited = z.object({ path: z.string(), count })
const success = z.literal(true)

/** Present if addresses in the answer are shortened, until the session proves its second factor again. */
const masked = z.optional(z.literal(true))

/** A dashboard response. The client shows a section only if `success` is true. */
const answerOf = <T extends z.ZodMiniType>(data: T) => z.object({ success, masked, data })

/** Retention of visits and their counts, in days. */
export const KEPT_DAYS = 90

const date = () => z.optional(z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'invalid_date')))
/** First and last day of a period of at most `KEPT_DAYS` days. Default: the last seven days. */
export const Period = z.object({ from: date(), to: date() })
export type Period = z.infer<typeof Period>

export const Login = z.object({
  username: z.string({ error: 'required' }).check(z.minLength(1, 'required'), z.maxLength(128, 'too_long')),
  password: z.string({ error: 'required' }).check(z.minLength(1, 'required'), z.maxLength(256, 'too_long')),
})

export const Overview = z.object({
  today: z.object({
    pv: count,
    uv: count,
    /** Number of distinct paths visited today. */
    pages: count,
    /** Most visited first, at most a hundred. */
    page_ranking: z.array(Visited),
  }),
  yesterday: z.object({ pv: count, uv: count }),
  /** Change from the whole of yesterday in percent, to one decimal; 0 if yesterday had no visits. */
  growth: z.object({ pv_growth: z.number(), uv_growth: z.number() }),
  /** Newest first, at most ten. */
  recent_visits: z.array(
    z.object({
      timestamp: z.string(),
      path: z.string(),
      /** The full address for 24 hours, then its network. */
      ip: z.nullable(z.string()),
      status_code: z.number(),
    }),
  ),
  last_updated: z.string(),
  /** IANA name of the time zone of days and hours. */
  time_zone: z.string(),
})

export const Weekly = z.object({ daily_data: z.array(z.object({ date: day, pv: count, uv: count })), total_pv: count })
export const Hourly = z.object({ hourly_distribution: z.array(z.object({ hour: z.number(), count })) })

const UserOverview = z.object({
  total_users: count,
  today_registrations: count,
  yesterday_registrations: count,
  /** Change from yesterday in percent, to one decimal; 0 if nobody registered yesterday. */
  registration_growth: z.number(),
  verified_users: count,
  /** Percentage of all users, to one decimal. */
  verification_rate: z.number(),
  /** One entry per day, oldest first. */
  daily_registrations: z.array(z.object({ date: day, count })),
})

const UserList = z.object({
  success,
  masked,
  users: z.array(
    z.object({ id: z.string(), email: z.string(), created_at: z.nullable(z.string()), email_verified: z.boolean() }),
  ),
  pagination: z.object({ total: count, page: z.number(), per_page: z.number() }),
})

/** `visitors` is the number of distinct visitors in the last five minutes. */
export const Live = z.object({ visitors: count, pages: z.array(Visited) })

const Alert = z.object({ code: z.string(), detail: z.string(), since: z.string(), times: count })

const TaskHealth = z.object({
  /** Current state of the queue. */
  queue: z.object({ waiting: count, processing: count, oldest_waiting_seconds: z.nullable(z.number()) }),
  /** Tasks that ended within the period, without those that their user cancelled. */
  ended: z.object({ succeeded: count, failed: count }),
  /** Failures and cancellations within the period, most frequent first. */
  failures: z.array(z.object({ code: z.string(), count })),
  /** The latest 20 failures within the period, newest first, with what the engine said. */
  latest_failures: z.array(
    z.object({
      task_id: z.string(),
      engine: z.nullable(z.string()),
      engine_model: z.nullable(z.string()),
      code: z.string(),
      detail: z.string(),
      at: z.string(),
    }),
  ),
  /** Tasks waiting for more than seven hours or processing for more than two. */
  stuck: z.array(z.object({ task_id: z.string(), status: z.string(), since: z.string() })),
  /** Open operator alerts. */
  alerts: z.array(Alert),
})

/** Sites from which visitors came. Own pages are left out. */
export const Sources = z.object({
  /** Most views first, at most a hundred. `site`: its host; null for visits without a referrer. */
  sources: z.array(z.object({ site: z.nullable(z.string()), views: count, visitors: count })),
  /** The addresses that led here most often, without their queries, at most twenty. */
  referrers: z.array(z.object({ address: z.string(), views: count })),
})

/** What needs an operator now. */
const Now = z.object({
  /** Open cases by kind; `overdue` are past their due date. */
  cases: z.array(z.object({ kind: z.enum(CASE_KINDS), count, overdue: count })),
  /** Actions that wait for another operator. */
  approvals: count,
  alerts: z.array(Alert),
  /** Events that could not be projected. */
  parked: count,
  stuck: count,
  /** What is wrong with the nightly backup; null: nothing, or none is configured. */
  backup: z.nullable(z.enum(['no_phrase', 'overdue', 'failed'])),
})
export type Now = z.infer<typeof Now>

const cents = z.number()
const Margin = z.object({
  /** Credits of completed sales. Claims of refunds are not subtracted. */
  credits_sold: count,
  credits_given: count,
  credits_spent: count,
  /**
   * Credits that are neither spent nor lapsed now, holds included. Credits that a deleted account owned stay in it,
   * except those of its subscription, until they expire.
   */
  credits_outstanding: count,
  /** Payments minus refunds in the period, by currency. */
  revenue: z.array(z.object({ currency: z.string(), amount: cents })),
  /** Provider's price of the clips delivered in the period, US cents; null with the demo renderer. */
  provider_cost: z.nullable(cents),
  /** Revenue minus the provider's cost, US cents; null if the cost is null, or some revenue is not in US dollars. */
  margin: z.nullable(cents),
  /** Clips delivered in the period whose cost is unknown. The cost and the margin leave them out. */
  unpriced_clips: count,
})

const Sales = { currency: z.string(), sales: count, gross: cents, /** Of these sales, at any time. */ refunds: cents }
/** Null: unknown. Margins and costs are US cents, other amounts the smallest unit of their currency. */
const unknown = z.nullable(cents)
/** What the payment providers kept of the sales; null if they told it of none. They keep it when a sale is refunded. */
const Fees = { fees: unknown, unknown_fees: count }
const Money = z.object({
  /** Different currencies are never added. `net`: after refunds and fees; null while a fee is unknown. */
  currencies: z.array(z.object({ ...Sales, ...Fees, net: unknown })),
  /** `margin`: what is left if the sold credits cost what spent ones did. */
  plans: z.array(z.object({ item: z.string(), pack: z.boolean(), ...Sales, credits: count, margin: unknown })),
  tills: z.array(z.object({ provider: z.nullable(z.string()), ...Sales, ...Fees })),
  /** Delivered clips. `margin`: if their credits were sold at the average price of the period. */
  models: z.array(
    z.object({ model: z.nullable(z.string()), clips: count, credits: count, cost: unknown, margin: unknown }),
  ),
  engines: z.array(z.object({ engine: z.nullable(z.string()), clips: count, cost: unknown })),
  recurring: z.object({
    /** Monthly prices of the plans that are paid for at the end of the period. */
    mrr: z.array(z.object({ currency: z.string(), amount: cents })),
    subscribers: count,
    /** Subscribers at the beginning of the period. */
    before: count,
    churned: count,
    /** Percentage of `before`, to one decimal; null if there were none. */
    churn: z.nullable(z.number()),
  }),
  /** The latest days of the comparison of till, subscriptions and ledger, newest first. */
  zeros: z.array(
    z.object({
      day,
      zero: z.boolean(),
      /** Whether the stored record has a valid signature of its key. */
      signed: z.boolean(),
      sales: count,
      /** What differs, as sentences. */
      differences: z.array(z.string()),
      unreached: z.array(z.string()),
    }),
  ),
})
export type Money = z.infer<typeof Money>

const OperatorAction = z.object({
  at: z.string(),
  /** `signed_in`, `sign_in_refused`, `signed_out`, `exported`, `credits_adjusted`, `events_replayed` … */
  action: z.string(),
  detail: z.nullable(z.string()),
  /** Name of the operator; null on the command line, and before a sign-in. */
  operator: z.nullable(z.string()),
  ip: z.nullable(z.string()),
})

const SecurityFailure = z.object({
  id: z.string(),
  at: z.string(),
  /** `sign_in_failed`, `second_factor_failed` or `throttled`. */
  event: z.string(),
  /** Address of the account; null if there is none. */
  email: z.nullable(z.string()),
  browser: z.nullable(z.string()),
  system: z.nullable(z.string()),
  /** A /24 for IPv4, a /48 for IPv6. */
  network: z.nullable(z.string()),
})

export const Backup = z.object({
  /** Whether copies are configured. */
  configured: z.boolean(),
  /** Whether there is a recovery phrase, without which no copy is taken. */
  has_phrase: z.boolean(),
  /** When a copy was last restored and verified. */
  proven_at: z.nullable(z.string()),
  /** The newest copy, which may not be proven yet. */
  copy: z.nullable(z.object({ taken_at: z.string(), files: count, bytes: count })),
  /** Why the last attempt failed, if it did. */
  failure: z.nullable(z.object({ at: z.string(), reason: z.string() })),
  /** Whether the last proof is too old. */
  overdue: z.boolean(),
})

const ParkedEvent = z.object({
  /** Name of the read model. */
  projection: z.string(),
  stream: z.string(),
  type: z.string(),
  /** Null if the event only follows another parked event of its row. */
  error: z.nullable(z.string()),
  parked_at: z.string(),
})

const Undelivered = z.object({
  id: z.string(),
  channel: z.enum(['mail', 'push', 'webhook']),
  /** The subject of an email, or the type of an event. */
  about: z.string(),
  email: z.string(),
  state: z.enum(['waiting', 'failed']),
  attempts: count,
  /** Status of the last answer. */
  status: z.nullable(z.int()),
  /** What the mail server said, or why there is no answer. */
  error: z.nullable(z.string()),
  created_at: z.string(),
  /** Time of the next attempt. */
  due_at: z.nullable(z.string()),
  /** Whether it can be sent again. Emails that have expired cannot. */
  has_body: z.boolean(),
})

/** Who may redeem a code: every account, or those that have never bought credits. */
const Audience = z.enum(['all', 'new'], 'invalid_choice')

const BoardKey = z.extend(ApiKey, { email: z.string() })
export type BoardKey = z.infer<typeof BoardKey>

const BoardCode = z.object({
  id: z.string(),
  label: z.string(),
  /** The last four characters. */
  hint: z.string(),
  /** Credits of each use. */
  credits: count,
  uses: count,
  used: count,
  audience: Audience,
  issued_at: z.string(),
  expires_at: z.nullable(z.string()),
  voided_at: z.nullable(z.string()),
  /** Number of codes that were issued together with this one, which is included. */
  batch_size: count,
})
export type BoardCode = z.infer<typeof BoardCode>

const amount = (max: number) => z.int('invalid_number').check(z.gte(1, 'too_small'), z.lte(max, 'too_large'))

export const CodeOrder = z.object({
  label: typedLine(60),
  count: z._default(amount(1_000), 1),
  credits: amount(100_000),
  /** Uses of each code, by different users. */
  uses: z._default(amount(10_000), 1),
  audience: z._default(Audience, 'all'),
  /** Null: the codes never expire. */
  expires_in_days: z._default(z.nullable(amount(3_650)), null),
})
export type CodeOrder = z.output<typeof CodeOrder>

/** Tables that can be downloaded as CSV files. */
export const TABLES = [
  'days',
  'hours',
  'pages',
  'sources',
  'visits',
  'users',
  'failures',
  'actions',
  'sales',
  'costs',
  'zeros',
] as const

/** Declares an endpoint that returns dashboard figures. */
const board = <const P extends string, D extends z.ZodMiniType>(route: `GET ${P}`, data: D, summary: string) =>
  endpoint(route, { access: 'operator', answer: answerOf(data), summary })

/** Declares an endpoint that returns dashboard figures for a period. */
const report = <const P extends string, D extends z.ZodMiniType>(route: `GET ${P}`, data: D, summary: string) =>
  endpoint(route, { access: 'operator', query: Period, answer: answerOf(data), summary })

export const login = endpoint('POST /analytics/login', {
  access: 'public',
  body: Login,
  answer: z.object({ success, message: z.string() }),
  refuses: ['invalid_credentials', 'second_factor_required', 'too_many_requests'],
  summary: 'Signs the operator in',
})

export const secondFactor = endpoint('POST /analytics/second-factor', {
  access: 'public',
  body: TicketAndCode,
  answer: z.object({ success, message: z.string() }),
  refuses: ['ticket_invalid', 'too_many_requests'],
  summary: 'Finishes the operator’s sign-in that answered `second_factor_required`, with its ticket and a code',
})

export const passkeyLogin = endpoint('POST /analytics/passkey', {
  access: 'public',
  body: PasskeyAnswer,
  answer: z.object({ success, message: z.string() }),
  refuses: ['passkey_refused', 'too_many_requests'],
  summary: 'Signs the operator in with a passkey alone',
})

export const operatorFactors = factorEndpoints('/analytics', 'operator')

export const logout = endpoint('POST /analytics/logout', {
  access: 'public',
  answer: z.object({ success, message: z.string() }),
  summary: 'Ends the operator’s session, if there is one',
})

export const overview = board('GET /analytics/overview', Overview, 'Today’s traffic')

export const weekly = report('GET /analytics/weekly', Weekly, 'Page views and unique visitors per day')

export const hourly = board('GET /analytics/hourly', Hourly, 'Page views per hour of today, 24 entries')

export const userOverview = report('GET /analytics/users/overview', UserOverview, 'Registrations and verifications')

export const userList = endpoint('GET /analytics/users/list', {
  access: 'operator',
  query: z.object(paging(10)),
  answer: UserList,
  summary: 'Registered users, newest first',
})

export const pageRanking = report(
  'GET /analytics/pages',
  z.object({ page_ranking: z.array(Visited) }),
  'The most visited pages of a period, at most a hundred',
)

export const sources = report('GET /analytics/sources', Sources, 'Where the visitors of a period came from')

export const now = board('GET /analytics/now', Now, 'What needs an operator now')

export const live = board('GET /analytics/live', Live, 'Current visitors')

export const taskHealth = report(
  'GET /analytics/tasks',
  TaskHealth,
  'Queue, failures by reason, stuck tasks and alerts',
)

export const margin = report('GET /analytics/margin', Margin, 'Credits sold and spent, revenue and the provider’s cost')

export const money = report('GET /analytics/money', Money, 'Revenue, costs and margins by what was sold and made')

export const backup = board('GET /analytics/backup', Backup, 'When a backup was last proven restorable')

export const operatorActions = endpoint('GET /analytics/actions', {
  access: 'operator',
  query: z.object(paging(10)),
  answer: z.object({ success, masked, actions: z.array(OperatorAction), total: count }),
  summary: 'The operator’s actions, newest first',
})

export const securityFailures = endpoint('GET /analytics/security', {
  access: 'operator',
  query: z.object(paging(10)),
  answer: z.object({ success, masked, failures: z.array(SecurityFailure), total: count }),
  summary: 'Failed and throttled attempts to sign in to users’ accounts in the last 90 days, newest first',
})

export const apiKeys = endpoint('GET /analytics/keys', {
  access: 'operator',
  query: z.object(paging(10)),
  answer: z.object({ success, masked, keys: z.array(BoardKey), total: count }),
  summary: 'API keys of all users that work, newest first',
})

export const endApiKey = endpoint('DELETE /analytics/keys/:id', {
  access: 'operator',
  role: 'support',
  status: 204,
  refuses: ['step_up_required'],
  summary: 'Ends an API key of a user, on every process within a second. Its owner is told',
})

export const codes = endpoint('GET /analytics/codes', {
  access: 'operator',
  query: z.object(paging(10)),
  answer: z.object({ success, masked, codes: z.array(BoardCode), total: count }),
  summary: 'Codes that grant credits, newest first',
})

export const issueCodes = endpoint('POST /analytics/codes', {
  access: 'operator',
  role: 'owner',
  body: CodeOrder,
  status: 201,
  answer: z.object({ success, masked, codes: z.array(z.string()) }),
  refuses: ['step_up_required'],
  summary: 'Issues codes that grant credits. They are shown once',
})

export const voidCode = endpoint('POST /analytics/codes/:id/void', {
  access: 'operator',
  role: 'support',
  body: z._default(z.object({ batch: z._default(z.boolean(), false) }), { batch: false }),
  answer: z.object({ success, voided: count }),
  refuses: ['step_up_required', 'not_found'],
  summary: 'Ends a code, or with `batch` all that were issued together with it. Credits that it granted stay',
})

export const parkedEvents = endpoint('GET /analytics/parked', {
  access: 'operator',
  query: z.object(paging(10)),
  answer: z.object({ success, masked, events: z.array(ParkedEvent), total: count }),
  summary: 'Events that could not be projected, oldest first',
})

export const replayParkedEvents = endpoint('POST /analytics/parked/replay', {
  access: 'operator',
  role: 'support',
  answer: z.object({
    success,
    /** Events that the read models now contain. */
    replayed: count,
    /** Events that failed again. */
    failed: count,
    /** Events that are still parked. */
    remaining: count,
  }),
  summary: 'Projects the parked events again, for at most 20 seconds',
})

export const undelivered = endpoint('GET /analytics/outbox', {
  access: 'operator',
  query: z.object(paging(10)),
  answer: z.object({ success, masked, messages: z.array(Undelivered), total: count }),
  summary: 'Emails, push messages and webhooks of the last 30 days that were tried and not delivered, newest first',
})

export const resendMessage = endpoint('POST /analytics/outbox/:id/resend', {
  access: 'operator',
  role: 'support',
  status: 204,
  summary: 'Lets an undelivered message begin again with its first attempt',
})

export const tableFile = endpoint('GET /analytics/tables/:table', {
  access: 'operator',
  role: 'support',
  query: Period,
  file: 'text/csv',
  refuses: ['step_up_required'],
  summary: 'A table of the board as a CSV file, such as `days.csv`, limited to the period where the table has dates',
})
