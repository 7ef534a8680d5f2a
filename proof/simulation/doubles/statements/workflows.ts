import type { InvoiceRow } from '#projections/subscriptions/invoice.ts'
import type { SimulatedDatabase, Statements, Table } from '../database.ts'

interface Webhook {
  readonly id: string
  readonly object_id: string
  readonly subject: unknown
  readonly received_at: Date
  readonly outcome: string | null
}
type Hold = Readonly<{ id: string; user_id: string; held_at: string }>
type OpenTask = Readonly<{ unstarted_since: string | null }>
type Planned = Readonly<{ id: string; status: string; due_at: string | null }>
type Roster = Readonly<{ owner_id: string; members: object }>
type Lot = Readonly<{ closed: boolean; expires_at: string | null }>

const webhooks = (database: SimulatedDatabase) => database.table<Webhook>('payment_webhook')
const all = <Row extends object>(table: Table<Row>) => [...table.rows.values()]

export const WORKFLOW_STATEMENTS: Statements = [
  [
    'insert into operator_alert',
    (database, [code, detail]) => {
      database.table('operator_alert').set(code as string, { code, detail })
      return [{ times: 1 }]
    },
  ],
  [
    'update operator_alert set cleared_at',
    (database, [code]) => {
      database.table('operator_alert').delete(code as string)
      return []
    },
  ],
  [
    'from open_hold where held_at <',
    (database, [before, tasks]) => {
      const excluded = new Set(JSON.parse(tasks as string) as string[])
      return all(database.table<Hold>('open_hold'))
        .filter(({ id, held_at }) => Date.parse(held_at) < (before as Date).getTime() && !excluded.has(id))
        .map(({ id, user_id }) => ({ taskId: id, userId: user_id }))
    },
  ],
  [
    'select id from desk_action where status',
    (database, [now]) =>
      all(database.table<Planned>('desk_action')).filter(
        ({ status, due_at }) => status === 'scheduled' && Date.parse(due_at ?? '') <= (now as Date).getTime(),
      ),
  ],
  [
    'select count(unstarted_since)',
    (database) => {
      const since = all(database.table<OpenTask>('open_task')).flatMap(({ unstarted_since }) =>
        unstarted_since === null ? [] : [Date.parse(unstarted_since) / 1000],
      )
      return [{ count: since.length, since: since.length > 0 ? Math.min(...since) : null }]
    },
  ],
  [
    'select id from credit_balance where exists',
    (database, [at]) =>
      all(database.table<{ id: string; lots: Lot[] }>('credit_balance')).filter(({ lots }) =>
        lots.some(({ closed, expires_at }) => !closed && expires_at !== null && expires_at <= (at as string)),
      ),
  ],
  [
    'select user_id from invoice where sale_id',
    (database, [saleId]) => all(database.table('invoice')).filter((row) => row.sale_id === saleId),
  ],
  [
    'select agreement_id from invoice where pack is not null',
    (database, [since]) =>
      all(database.table<InvoiceRow>('invoice')).filter(
        ({ pack, fee_cents, period_start }) => pack && fee_cents === null && new Date(period_start) >= (since as Date),
      ),
  ],
  [
    'select id as "userId", unclosed as "agreementIds"',
    (database) =>
      all(database.table<{ id: string; unclosed: string[] }>('current_subscription'))
        .filter(({ unclosed }) => unclosed.length > 0)
        .map(({ id, unclosed }) => ({ userId: id, agreementIds: unclosed })),
  ],
  [
    'insert into payment_webhook',
    (database, [id, , objectId, subject, payloads]) => {
      const isKnown = all(webhooks(database)).some((known) => known.id === id || known.object_id === objectId)
      if (isKnown) return []
      const received_at = new Date(database.scheduler.now)
      const row = { object_id: objectId as string, subject: JSON.parse(subject as string), received_at, outcome: null }
      webhooks(database).set(id as string, { id: id as string, ...row })
      for (const payload of JSON.parse(payloads as string) as string[]) database.notify(payload)
      return []
    },
  ],
  [
    'select id from payment_webhook where outcome is null',
    (database) => all(webhooks(database)).filter(({ outcome }) => outcome === null),
  ],
  [
    'select subject, received_at from payment_webhook',
    (database, [id]) => {
      const row = webhooks(database).get(id as string)
      return row?.outcome === null ? [row] : []
    },
  ],
  [
    'update payment_webhook set outcome',
    (database, [id, outcome]) => {
      webhooks(database).set(id as string, { ...webhooks(database).get(id as string)!, outcome: outcome as string })
      return []
    },
  ],
  // A user who is not in `user_account` gets no mail.
  ['insert into sent_reminder', () => [{ key: 'new' }]],
  ['from user_account where id', () => []],
  ['from outgoing_mail order by id', () => []],
  ['update outbox set body = null where expires_at', () => []],
  ['render_progress', () => []],
  [
    'select id from team_roster where owner_id',
    (database, [userId]) =>
      all(database.table<Roster>('team_roster')).filter(
        ({ owner_id, members }) => owner_id === userId || (userId as string) in members,
      ),
  ],
  // Names are not simulated, so no one is mailed about a team.
  ['from team', () => []],
  // Out of scope: unused uploads, removed files, erasures, unconfirmed accounts, API keys, and the retention of visits.
  ['image_upload', () => []],
  ['media_removal', () => []],
  ['from jsonb_array_elements_text', () => []],
  ['erasure', () => []],
  ['from suspension', () => []],
  ['from user_account where email_verified_at is null', () => []],
  ['from api_key', () => []],
  ['page_view', () => []],
  ['from board_state', () => [{ addresses_truncated_to: new Date(0) }]],
  ['board_state', () => []],
  // Films are signed by their task's own events, and before any head of the ledger.
  ['from credit_entry', () => []],
  ['from ledger_checkpoint', () => []],
  // No one in the simulation has an API key.
  ['from api_key', () => []],
  ['delete from', () => []],
]
