import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { Language } from '../contract.ts'
import { REFRESH_SECONDS, SESSION_SECONDS } from '../sessions/sessions.ts'
import type { PushSubscription } from './notices.contract.ts'

interface Subscriber extends PushSubscription {
  readonly language: Language
}

/** Messages about one video. A user may open any number of sessions, and choose where their messages go. */
const MAX_BROWSERS = 20

const OPEN = `push_subscription p
  join session s on s.id = p.session_id and s.ended_at is null and s.rotated_at > $1 and s.created_at > $2`

export type PushSubscriptions = ReturnType<typeof createPushSubscriptions>

/** Creates the store of push subscriptions, one per session. One that belongs to an ended session is not used. */
export function createPushSubscriptions(database: Database) {
  const execute = <T extends object>(sql: string, parameters: unknown[]) => query<T>(database, sql, parameters)
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)
  const since = () => [ago(REFRESH_SECONDS), ago(SESSION_SECONDS)]

  return {
    async put(userId: string, sessionId: string, { endpoint, keys }: PushSubscription): Promise<void> {
      await database.em.fork().transactional(async (tx) => {
        // The same browser may have signed in again.
        await query(tx, 'delete from push_subscription where endpoint = $1 or session_id = $2', [endpoint, sessionId])
        await query(
          tx,
          `insert into push_subscription (session_id, user_id, endpoint, p256dh, auth)
           select id, user_id, $1, $2, $3 from session where id = $4 and user_id = $5 and ended_at is null
           on conflict do nothing`,
          [endpoint, keys.p256dh, keys.auth, sessionId, userId],
        )
      })
    },

    async remove(sessionId: string): Promise<void> {
      await execute('delete from push_subscription where session_id = $1', [sessionId])
    },

    async removeEndpoint(endpoint: string): Promise<void> {
      await execute('delete from push_subscription where endpoint = $1', [endpoint])
    },

    has: async (sessionId: string): Promise<boolean> =>
      (await execute('select from push_subscription where session_id = $1', [sessionId])).length > 0,

    /** Returns the subscription with an endpoint; undefined if there is none, or its session has ended. */
    async find(endpoint: string): Promise<PushSubscription | undefined> {
      const sql = `select p.p256dh, p.auth from ${OPEN} where p.endpoint = $3`
      const [keys] = await execute<PushSubscription['keys']>(sql, [...since(), endpoint])
      return keys && { endpoint, keys }
    },

    /** Returns the subscriptions of those of a user's open sessions that were used last. */
    async list(userId: string): Promise<Subscriber[]> {
      const rows = await execute<{ endpoint: string; p256dh: string; auth: string; language: Language }>(
        `select p.endpoint, p.p256dh, p.auth, u.language from ${OPEN}
         join user_account u on u.id = p.user_id where p.user_id = $3
         order by s.last_used_at desc limit ${MAX_BROWSERS}`,
        [...since(), userId],
      )
      return rows.map(({ endpoint, p256dh, auth, language }) => ({ endpoint, keys: { p256dh, auth }, language }))
    },
  }
}
