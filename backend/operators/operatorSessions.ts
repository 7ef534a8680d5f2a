import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { CHANGE_CHANNEL, type Changes } from '../kernel/postgres/changes.ts'

export const OPERATOR_SESSION_SECONDS = 12 * 3600
/** A session that was just asked about is taken for good so long, unless its end is told. */
const KNOWN_MS = 10_000
/** The name under which the end of a session is told to all processes. */
const ENDED = 'endedOperatorSessions'

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/** Sessions of the operator, who is no user: rows of their own, with nothing but a hash of the token. They keep real time. */
export function createOperatorSessions(
  pool: Pick<pg.Pool, 'query'>,
  changes: Pick<Changes, 'subscribe'>,
  now: () => number = Date.now,
) {
  const known = new Map<string, number>()
  changes.subscribe(({ name, ids }) => {
    if (name === ENDED) for (const hash of ids) known.delete(hash)
  })

  return {
    /** Resolves with a new token. */
    async open(): Promise<string> {
      const token = randomBytes(32).toString('base64url')
      await pool.query('delete from operator_session where expires_at < $1', [new Date(now())])
      await pool.query('insert into operator_session (hash, created_at, expires_at) values ($1, $2, $3)', [
        hashOf(token),
        new Date(now()),
        new Date(now() + OPERATOR_SESSION_SECONDS * 1000),
      ])
      return token
    },

    async isOpen(token: string | undefined): Promise<boolean> {
      if (!token) return false
      const hash = hashOf(token)
      if ((known.get(hash) ?? 0) > now()) return true
      const { rows } = await pool.query<{ expires_at: Date }>({
        name: 'operator-session',
        text: 'select expires_at from operator_session where hash = $1 and expires_at > $2',
        values: [hash, new Date(now())],
      })
      if (rows[0]) known.set(hash, Math.min(rows[0].expires_at.getTime(), now() + KNOWN_MS))
      else known.delete(hash)
      return rows.length > 0
    },

    /** Ends a session, and says whether there was one. */
    async end(token: string | undefined): Promise<boolean> {
      if (!token) return false
      const hash = hashOf(token)
      known.delete(hash)
      const { rowCount } = await pool.query('delete from operator_session where hash = $1', [hash])
      await pool.query('select pg_notify($1, $2)', [CHANGE_CHANNEL, JSON.stringify({ name: ENDED, ids: [hash] })])
      return rowCount === 1
    },
  }
}

export type OperatorSessions = ReturnType<typeof createOperatorSessions>
