import type pg from 'pg'
import { isUuid } from '../eventsourcing/uuid7.ts'
import { notify } from '../postgres/notify.ts'
import type { Clock } from '../time.ts'

/** Change notification for messages that are due. Its ids are empty. */
export const OUTBOX = 'outbox'

/** How a message leaves. */
export type ChannelName = 'mail' | 'push' | 'webhook'

export interface NewMessage {
  /** UUID. A message that is stored is not stored again. */
  readonly id: string
  readonly userId: string
  readonly channel: ChannelName
  /** What receives it. One that does not answer delays only its own messages. */
  readonly target: string
  /** What it is about, such as the type of an event. */
  readonly about: string
  readonly body: string
  /** When it is useless. The body is removed then, and also once it was sent. */
  readonly expiresAt?: Date
}

/** A message of which an attempt begins. */
export interface Claimed extends NewMessage {
  /** Attempts so far, with this one. */
  readonly attempts: number
}

/** What became of an attempt. */
export interface Attempt {
  /** `refused`: further attempts are useless. */
  readonly outcome: 'sent' | 'refused' | 'failed'
  /** Status and beginning of the receiver's answer. */
  readonly status?: number
  readonly answer?: string
  /** Why there is no answer. */
  readonly fault?: string
  /** Shortest time before the next attempt, ms. */
  readonly waitMs?: number
  /** Lets the other messages to the target wait as long. */
  readonly pausesTarget?: boolean
}

/** A row of the table `outbox`, without the body. */
export interface MessageRow {
  readonly id: string
  readonly about: string
  readonly created_at: Date
  readonly state: 'waiting' | 'sent' | 'failed'
  readonly attempts: number
  readonly due_at: Date | null
  readonly tried_at: Date | null
  readonly took_ms: number | null
  readonly status: number | null
  readonly answer: string | null
  readonly fault: string | null
}

const COLUMNS = 'id, about, created_at, state, attempts, due_at, tried_at, took_ms, status, answer, fault'
/** Time for which messages are shown, and failed ones can be sent again. */
const KEPT = "interval '30 days'"
/** An attempt whose end was not recorded is repeated after this. Longer than an attempt may take. */
const CLAIMED_FOR = "case channel when 'mail' then interval '2 minutes' else interval '30 seconds' end"
/** Attempts that a round begins for one target. */
const PER_TARGET = 4
/** Attempts that a round begins. */
const PER_ROUND = 200

/** Begins attempts. Jumps from target to target in the index, so that a target with many messages costs as much as one with few. */
const CLAIM = `
  with recursive targets (target) as (
    (select target from outbox where due_at is not null order by target limit 1)
    union all
    select (select o.target from outbox o where o.due_at is not null and o.target > t.target order by o.target limit 1)
    from targets t where t.target is not null
  ), due as materialized (
    select o.id from (select target from targets where target is not null and target <> all ($2::text[])) t
    cross join lateral (
      select id from outbox where target = t.target and due_at <= $1 and channel = any ($3::text[])
      order by due_at, created_at limit ${PER_TARGET}
      for update skip locked) o
    order by random() limit ${PER_ROUND}
  )
  update outbox set due_at = $1 + ${CLAIMED_FOR}, attempts = attempts + 1, claimed_by = $4 from due where outbox.id = due.id
  returning outbox.id, user_id as "userId", channel, target, about, body, expires_at as "expiresAt", attempts`

/** Ends an attempt, unless another one has begun since. */
const RECORD = `
  update outbox set state = $3, due_at = $4, tried_at = $5, took_ms = $6, status = $7, answer = $8, fault = $9,
    claimed_by = null, body = case when $3 = 'sent' and expires_at is not null then null else body end
  where id = $1 and attempts = $2 and state = 'waiting'`

/** Lets messages begin again with the first attempt at $2. One that is being attempted goes on: it could be sent twice. */
const BEGIN_AGAIN = `update outbox set state = 'waiting',
  attempts = case when claimed_by is not null and due_at > $2 then attempts else 0 end,
  due_at = case when claimed_by is not null and due_at > $2 then due_at else $2 end`

/** A pool, a connection, or a transaction. */
type Sender = { query(sql: string, values: unknown[]): Promise<unknown> }

/** Stores messages, which are due at a time, within the caller's transaction. */
export async function putMessages(tx: Sender, messages: readonly NewMessage[], at: Date): Promise<void> {
  if (messages.length === 0) return
  await tx.query(
    `insert into outbox (id, user_id, channel, target, about, body, expires_at, created_at, due_at)
     select id, "userId", channel, target, about, body, "expiresAt", $2, $2 from jsonb_to_recordset($1::jsonb)
       as m (id uuid, "userId" uuid, channel text, target text, about text, body text, "expiresAt" timestamptz)
     on conflict do nothing`,
    [JSON.stringify(messages), at],
  )
  await notify(tx, { name: OUTBOX, ids: [] })
}

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Creates the outbox of everything that Kinora tells the outside: a row is stored before anything is sent, and kept for 30
 * days. Delivery is at least once. See docs/decisions/0074-one-outbox.md.
 */
export function createOutbox(pool: pg.Pool, clock: Clock) {
  const now = () => new Date(clock())
  return {
    ...createPositions(pool),
    ...createTargets(pool, now),
    ...createUndelivered(pool, now),

    /** Stores messages, which are due now, within the caller's transaction. */
    put: (tx: Sender, messages: readonly NewMessage[]): Promise<void> => putMessages(tx, messages, now()),

    /** Stores a message with the only attempt that was made. */
    async keep(message: NewMessage, { outcome, status, answer, fault }: Attempt, tookMs: number): Promise<void> {
      const { id, userId, channel, target, about, body } = message
      const state = outcome === 'sent' ? 'sent' : 'failed'
      await pool.query(
        `insert into outbox (id, user_id, channel, target, about, body, created_at, state, attempts, tried_at, took_ms,
           status, answer, fault) values ($1, $2, $3, $4, $5, $6, $7, $8, 1, $7, $9, $10, $11, $12)`,
        [id, userId, channel, target, about, body, now(), state, tookMs, status, answer, fault],
      )
    },

    /** Lets attempts that another sender began, and whose end it will not record, begin again. */
    async release(sender: number): Promise<void> {
      await pool.query('update outbox set due_at = $2, claimed_by = null where claimed_by <> $1', [sender, now()])
    },

    /** Begins attempts of due messages of some channels, a few for each target, except for the given targets. */
    claim: async (sender: number, channels: readonly string[], except: readonly string[]) =>
      (await pool.query<Claimed>(CLAIM, [now(), except, channels, sender])).rows,

    /** Returns how many messages of a channel wait, and since when. */
    async backlog(channel: ChannelName): Promise<{ readonly waiting: number; readonly oldestAt: Date | null }> {
      const { rows } = await pool.query<{ waiting: number; oldestAt: Date | null }>(
        `select count(*)::int as waiting, min(created_at) as "oldestAt" from outbox
         where due_at is not null and channel = $1`,
        [channel],
      )
      return rows[0]!
    },

    /** Ends an attempt. `waitMs`: time until the next one; null if there is none. */
    async record(
      { id, target, attempts }: Pick<Claimed, 'id' | 'target' | 'attempts'>,
      { outcome, status = null, answer = null, fault = null, pausesTarget }: Partial<NullableAttempt>,
      tookMs: number,
      waitMs: number | null,
    ): Promise<void> {
      const at = now()
      const dueAt = waitMs === null ? null : new Date(at.getTime() + waitMs)
      const state = outcome === 'sent' ? 'sent' : dueAt ? 'waiting' : 'failed'
      await pool.query(RECORD, [id, attempts, state, dueAt, at, tookMs, status, answer, fault])
      if (pausesTarget && dueAt)
        await pool.query('update outbox set due_at = $2 where target = $1 and due_at < $2', [target, dueAt])
    },

    async removeTarget(tx: Sender, target: string): Promise<void> {
      await tx.query('delete from outbox where target = $1', [target])
    },

    async removeOld(): Promise<void> {
      await pool.query(`delete from outbox where created_at < $1::timestamptz - ${KEPT}`, [now()])
      await pool.query('update outbox set body = null where expires_at < $1 and body is not null', [now()])
    },
  }
}

/**
 * Rewrites the stored bodies of a channel within the caller's transaction, which no message can be put until it ends.
 * Null ends a message. Returns how many were rewritten and ended.
 */
export async function rewriteBodies(
  client: pg.ClientBase,
  channel: ChannelName,
  rewrite: (message: Pick<NewMessage, 'id' | 'userId' | 'body'>) => string | null,
) {
  await client.query('lock table outbox in access exclusive mode')
  const { rows } = await client.query<Pick<NewMessage, 'id' | 'userId' | 'body'>>(
    'select id, user_id as "userId", body from outbox where channel = $1 and body is not null order by id',
    [channel],
  )
  let ended = 0
  for (const row of rows) {
    const body = rewrite(row)
    if (body !== null) await client.query('update outbox set body = $2 where id = $1', [row.id, body])
    else {
      await client.query(`update outbox set body = null, due_at = null, state = 'failed' where id = $1`, [row.id])
      ended++
    }
  }
  return { rewritten: rows.length - ended, ended }
}

/** Creates what shows the messages to a target, and sends them again. */
const createTargets = (pool: pg.Pool, now: () => Date) => ({
  /** Returns the newest messages to a target, and how many there are. Pages start at 1. */
  async list(target: string, page: number, perPage: number) {
    const { rows } = await pool.query<MessageRow & { total: number }>(
      `select ${COLUMNS}, count(*) over ()::int as total from outbox where target = $1
       order by created_at desc, id limit $2 offset $3`,
      [target, perPage, (page - 1) * perPage],
    )
    return { messages: rows as readonly MessageRow[], total: rows[0]?.total ?? 0 }
  },

  /** Returns a message to a target; undefined if there is none. */
  find: async (target: string, id: string): Promise<MessageRow | undefined> =>
    (await pool.query<MessageRow>(`select ${COLUMNS} from outbox where target = $1 and id = $2`, [target, id])).rows[0],

  /** Lets a message, or all that failed since a time, begin again with the first attempt. Returns their number. */
  async resend(target: string, which: { readonly id: string } | { readonly failedSince: Date }): Promise<number> {
    const [condition, value] =
      'id' in which
        ? ['id = $3', isUuid(which.id) ? which.id : null]
        : ["state = 'failed' and created_at >= $3", which.failedSince]
    const { rowCount } = await pool.query(`${BEGIN_AGAIN} where target = $1 and ${condition} and body is not null`, [
      target,
      now(),
      value,
    ])
    await notify(pool, { name: OUTBOX, ids: [] })
    return rowCount ?? 0
  },
})

/** A message that its receiver does not have after the first attempt. */
export interface UndeliveredRow
  extends Pick<MessageRow, 'id' | 'about' | 'created_at' | 'attempts' | 'due_at' | 'status'> {
  readonly user_id: string
  readonly channel: ChannelName
  readonly state: 'waiting' | 'failed'
  /** What the mail server said, or why there is no answer. Answers of users' endpoints are theirs. */
  readonly error: string | null
  /** Whether it can be sent again. */
  readonly has_body: boolean
}

/** Creates what shows the operator what was not delivered, and sends it again. */
const createUndelivered = (pool: pg.Pool, now: () => Date) => ({
  /** Returns the newest undelivered messages, and how many there are. Pages start at 1. */
  async undelivered(page: number, perPage: number) {
    const { rows } = await pool.query<UndeliveredRow & { total: number }>(
      `select id, user_id, channel, about, created_at, state, attempts, due_at, status, body is not null as has_body,
         coalesce(case when channel = 'mail' then answer end, fault) as error, count(*) over ()::int as total
       from outbox where state <> 'sent' and tried_at is not null order by created_at desc, id limit $1 offset $2`,
      [perPage, (page - 1) * perPage],
    )
    return { messages: rows.map(({ total: _, ...row }): UndeliveredRow => row), total: rows[0]?.total ?? 0 }
  },

  /** Lets a message of anyone begin again with the first attempt. Returns undefined if there is no such undelivered one. */
  async resendAny(id: string) {
    const { rows } = await pool.query<Pick<UndeliveredRow, 'user_id' | 'channel' | 'about'>>(
      `${BEGIN_AGAIN} where id = $1 and state <> 'sent' and body is not null returning user_id, channel, about`,
      [isUuid(id) ? id : null, now()],
    )
    await notify(pool, { name: OUTBOX, ids: [] })
    return rows[0]
  },
})

type NullableAttempt = { [K in keyof Attempt]: Attempt[K] | null }

/** Creates the store of the positions of the log up to which messages were written. */
const createPositions = (pool: pg.Pool) => ({
  /** Returns the position of a writer; the given one, which is stored, if there is none. Undefined: the start of the log. */
  async position(name: string, first: string | undefined): Promise<string | undefined> {
    await pool.query('insert into outbox_position values ($1, $2) on conflict do nothing', [name, first ?? null])
    const { rows } = await pool.query<{ position: string | null }>(
      'select position from outbox_position where name = $1',
      [name],
    )
    return rows[0]?.position ?? undefined
  },

  async savePosition(tx: Sender, name: string, position: string): Promise<void> {
    await tx.query('update outbox_position set position = $2 where name = $1', [name, position])
  },
})
