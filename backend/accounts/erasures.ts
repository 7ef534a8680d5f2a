import { CHANGE_CHANNEL } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Clock } from '../kernel/time.ts'
import { ENDED_SESSIONS } from './sessions/sessions.ts'

/** Notification that erasures were requested, by user id. */
export const ERASURES = 'erasures'

/** Removes what one owner of tables stores about a user. Repeatable. */
type EraseRows = (database: Database, userId: string) => Promise<unknown>

interface ErasuresOptions {
  readonly database: Database
  readonly now: Clock
  readonly destroyKey: (userId: string) => Promise<void>
  /** One function per owner of tables with user data. Projections are not among them: they follow the events. */
  readonly eraseRows: readonly EraseRows[]
}

export type Erasures = ReturnType<typeof createErasures>

/**
 * Deletes accounts. A request removes the account row, and with it sessions, tokens and undelivered mails, in one
 * transaction. A workflow, started from the `erasure` row, removes videos, images, prompts and the remaining rows.
 * See docs/decisions/0007-personal-data-outside-the-log.md.
 */
export function createErasures({ database, now, destroyKey, eraseRows }: ErasuresOptions) {
  return {
    async request(userId: string): Promise<void> {
      await database.em.fork().transactional(async (tx) => {
        const row = [userId, new Date(now())]
        await tx.execute('insert into erasure (user_id, requested_at) values (?, ?) on conflict do nothing', row)
        await tx.execute('update free_grant set user_id = null where user_id = ?', [userId])
        await tx.execute('delete from user_account where id = ?', [userId])
        for (const name of [ERASURES, ENDED_SESSIONS])
          await tx.execute('select pg_notify(?, ?)', [CHANGE_CHANNEL, JSON.stringify({ name, ids: [userId] })])
      })
    },

    /** Returns the users whose erasure is not finished, oldest request first. */
    async waiting(): Promise<string[]> {
      const sql = 'select user_id from erasure where done_at is null order by requested_at'
      const rows = await database.em.fork().execute<{ user_id: string }[]>(sql)
      return rows.map(({ user_id }) => user_id)
    },

    /** Removes the user's remaining rows, and last the key that decrypts the user's texts in the event log. */
    async removeRows(userId: string): Promise<void> {
      await database.em.fork().execute('delete from sent_reminder where user_id = ?', [userId])
      for (const erase of eraseRows) await erase(database, userId)
      await destroyKey(userId)
    },

    /** Marks the erasure as finished. The row remains, without personal data: it prevents a second key for this user. */
    async done(userId: string): Promise<void> {
      const sql = 'update erasure set done_at = ? where user_id = ? and done_at is null'
      await database.em.fork().execute(sql, [new Date(now()), userId])
    },
  }
}
