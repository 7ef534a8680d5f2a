import { notify } from '../kernel/postgres/notify.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'
import type { Clock } from '../kernel/time.ts'
import { eraseFactors } from './factors/secondFactors.ts'
import { destroyUserKey } from './keys/userKeys.ts'
import { announceEnded } from './sessions/sessions.ts'

/** Change notification for requested erasures. Its ids are user ids. */
export const ERASURES = 'erasures'

/** Returns those of the accounts that are in the database, or whose texts can still be decrypted. */
export async function findUnerased(database: Database, userIds: Iterable<string>): Promise<string[]> {
  const rows = await query<{ id: string }>(
    database,
    `select value as id from jsonb_array_elements_text($1::jsonb) where exists (select from user_account where id = value::uuid)
       or exists (select from user_key where user_id = value::uuid)`,
    [JSON.stringify([...userIds])],
  )
  return rows.map(({ id }) => id)
}

/** Deletes a user's rows from the tables of one module. Idempotent. */
type EraseRows = (database: Database, userId: string) => Promise<unknown>

interface ErasuresOptions {
  readonly database: Database
  readonly now: Clock
  readonly destroyKey: (userId: string) => Promise<void>
  /** One function per module that stores user data. Projections need none: they are derived from events. */
  readonly eraseRows: readonly EraseRows[]
}

/** Condition of accounts that no link in use can confirm. */
const UNCONFIRMED = `email_verified_at is null
  and not exists (select from mail_token where user_id = user_account.id)
  and not exists (select from start_link where user_id = user_account.id)`
const UNCONFIRMED_MS = 30 * 24 * 3_600_000

export type Erasures = ReturnType<typeof createErasures>

/**
 * Creates the service that deletes accounts. A request deletes the account row together with its sessions, tokens and
 * undelivered emails, and the key of the user's texts. From then on nothing of the account starts: `encrypt` refuses new
 * orders, the render lane gives no slot, and an order without its text does not reach a provider. A workflow, started from the `erasure` row, then deletes videos, images, prompts and other rows.
 * See docs/decisions/0007-personal-data-outside-the-log.md.
 */
export function createErasures({ database, now, destroyKey, eraseRows }: ErasuresOptions) {
  const request = (userId: string, condition: 'true' | typeof UNCONFIRMED) =>
    database.em.fork().transactional(async (tx) => {
      // The account is locked first, as by a change of its password, to avoid deadlocks.
      await query(tx, 'select 1 from user_account where id = $1 for update', [userId])
      const found = await query<object>(tx, `select 1 from user_account where id = $1 and ${condition}`, [userId])
      if (found.length === 0 && condition === UNCONFIRMED) return false
      const row = [userId, new Date(now())]
      await query(tx, 'insert into erasure (user_id, requested_at) values ($1, $2) on conflict do nothing', row)
      await query(tx, 'update free_grant set user_id = null where user_id = $1', [userId])
      const sessions = await query<{ id: string }>(tx, 'delete from session where user_id = $1 returning id', [userId])
      await announceEnded(
        tx,
        sessions.map(({ id }) => id),
      )
      await eraseFactors(tx, userId)
      // Without its key, no task of the account can be ordered from a provider.
      await destroyUserKey(tx, userId)
      await query(tx, 'delete from user_account where id = $1', [userId])
      await notify(tx, { name: ERASURES, ids: [userId] })
      return found.length > 0
    })

  return {
    /** Returns false if the account was deleted before. */
    request: (userId: string): Promise<boolean> => request(userId, 'true'),

    /** Deletes the tokens of links that expired 30 days ago, and the accounts that none of them has confirmed. */
    async removeUnconfirmed(at: number): Promise<void> {
      const em = database.em.fork()
      const before = new Date(at - UNCONFIRMED_MS)
      await query(em, 'delete from mail_token where expires_at < $1', [before])
      const sql = `select id from user_account where ${UNCONFIRMED} and created_at < $1`
      for (const { id } of await query<{ id: string }>(em, sql, [before])) await request(id, UNCONFIRMED)
    },

    /** Returns whether the account was deleted, from the moment of the request. */
    async isRequested(userId: string): Promise<boolean> {
      const sql = 'select 1 from erasure where user_id = $1'
      return (await query<object>(database, sql, [userId])).length > 0
    },

    /** Returns the ids of users whose erasure is unfinished, oldest request first. */
    async waiting(): Promise<string[]> {
      const sql = 'select user_id from erasure where done_at is null order by requested_at'
      const rows = await query<{ user_id: string }>(database, sql)
      return rows.map(({ user_id }) => user_id)
    },

    /** Deletes the user's remaining rows, then the key that decrypts the user's texts in the event log. */
    async removeRows(userId: string): Promise<void> {
      await query(database, 'delete from sent_reminder where user_id = $1', [userId])
      await database.em.fork().transactional((tx) => eraseFactors(tx, userId))
      for (const erase of eraseRows) await erase(database, userId)
      await destroyKey(userId)
    },

    /** Marks the erasure as finished. The row remains to prevent a new key for the user, without personal data. */
    async done(userId: string): Promise<void> {
      const sql = 'update erasure set done_at = $1 where user_id = $2 and done_at is null'
      await query(database, sql, [new Date(now()), userId])
    },
  }
}
