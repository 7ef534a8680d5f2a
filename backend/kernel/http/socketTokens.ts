import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../postgres/orm.ts'
import { query } from '../postgres/query.ts'

const TOKEN_SECONDS = 60
/** Time between two removals of tokens that were not used, ms. */
const SWEEP_EVERY_MS = 60_000

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/**
 * Creates the single-use tokens by which browsers open sockets.
 * @param onExpired called with the number of tokens that were not used in time
 */
export function createSocketTokens(database: Database, onExpired: (tokens: number) => void) {
  let sweepAt = 0
  return {
    async issue(userId: string, sessionId: string): Promise<string> {
      const token = randomBytes(32).toString('base64url')
      const em = database.em.fork()
      await query(
        em,
        `insert into socket_token (hash, user_id, session_id, expires_at)
         values ($1, $2, $3, now() + interval '${TOKEN_SECONDS} seconds')`,
        [hashOf(token), userId, sessionId],
      )
      if (Date.now() >= sweepAt) {
        sweepAt = Date.now() + SWEEP_EVERY_MS
        onExpired((await query(em, 'delete from socket_token where expires_at < now() returning 1')).length)
      }
      return token
    },

    /** Returns the owner of a token that is valid, and deletes it. */
    async spend(token: string): Promise<{ userId: string; sessionId: string } | undefined> {
      const sql = 'delete from socket_token where hash = $1 and expires_at > now() returning user_id, session_id'
      const [row] = await query<{ user_id: string; session_id: string | null }>(database, sql, [hashOf(token)])
      return row?.session_id ? { userId: row.user_id, sessionId: row.session_id } : undefined
    },
  }
}

/** Deletes a user's unused socket tokens when the account is erased. */
export const eraseSocketTokens = (database: Database, userId: string) =>
  query(database, 'delete from socket_token where user_id = $1', [userId])
