import { CHANGE_CHANNEL } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { ENDED_SESSIONS } from './sessions/sessions.ts'

/** The name under which an erasure is told to whoever carries it out. */
export const ERASURES = 'erasures'

/** What is kept by user besides the account itself, and is no projection. The account's own rows go with the account. */
const PERSONAL = ['idempotency_key', 'socket_token', 'mailbox', 'sent_reminder']

/**
 * The end of an account. Who it was goes at once: the person's row with the sessions, tokens and mails on their way. What
 * was made (videos, pictures, prompts) goes by a workflow, of which the erasure's row is the beginning and the proof.
 */
export function createErasures(database: Database, destroyKey: (userId: string) => Promise<void>, now: () => number) {
  const execute = <T extends object>(sql: string, parameters: unknown[] = []) =>
    database.em.fork().execute<T[]>(sql, parameters)

  return {
    async request(userId: string): Promise<void> {
      await database.em.fork().transactional(async (tx) => {
        await tx.execute('insert into erasure (user_id, requested_at) values (?, ?) on conflict do nothing', [
          userId,
          new Date(now()),
        ])
        await tx.execute('update free_grant set user_id = null where user_id = ?', [userId])
        await tx.execute('delete from user_account where id = ?', [userId])
        for (const name of [ERASURES, ENDED_SESSIONS])
          await tx.execute('select pg_notify(?, ?)', [CHANGE_CHANNEL, JSON.stringify({ name, ids: [userId] })])
      })
    },

    async waiting(): Promise<string[]> {
      const rows = await execute<{ user_id: string }>(
        'select user_id from erasure where done_at is null order by requested_at',
      )
      return rows.map(({ user_id }) => user_id)
    },

    /** Removes the user's rows and key. */
    async removeRows(userId: string): Promise<void> {
      for (const table of PERSONAL) await execute(`delete from ${table} where user_id = ?`, [userId])
      // Visits are counted on, as anyone's.
      await execute(
        `update page_view set user_id = null, session_id = null, user_agent = null, referrer = null, ip = null
         where user_id = ?`,
        [userId],
      )
      await destroyKey(userId)
    },

    /** The row stays, with ids alone: it says that this user gets no second key. */
    async done(userId: string): Promise<void> {
      await execute('update erasure set done_at = ? where user_id = ? and done_at is null', [new Date(now()), userId])
    },
  }
}

export type Erasures = ReturnType<typeof createErasures>
