import { hash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { onlyRow } from '../kernel/postgres/onlyRow.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'

/** A page view to be attributed to a visitor. `at` is in epoch milliseconds. */
type Visit = Readonly<{ sessionId: string | null; ip: string; userAgent: string; at: number }>

/** Returns 128 bits of a SHA-256 hash in hexadecimal, which Postgres stores as a UUID. */
const shortHash = (content: string | Buffer) => hash('sha256', content).slice(0, 32)

/**
 * Identifies visitors without a cookie: by the tab's session id, or else by address and user agent, hashed with a daily
 * salt. A sweep deletes the salt after its day, so that hashes can no longer be traced to an address.
 */
export function createVisitors(pool: Pick<pg.Pool, 'query'>, dayOf: (at: number) => string) {
  let current: { day: string; salt: Promise<Buffer> } | undefined

  const createSalt = async (day: string) => {
    const row = [day, randomBytes(32)]
    await pool.query('insert into visitor_salt (day, salt) values ($1, $2) on conflict do nothing', row)
    return onlyRow(await pool.query<{ salt: Buffer }>('select salt from visitor_salt where day = $1', [day])).salt
  }
  const saltOf = (day: string) => {
    if (current?.day === day) return current.salt
    const salt = createSalt(day)
    current = { day, salt }
    salt.catch(() => {
      current = undefined
    })
    return salt
  }

  return {
    /** Returns 32 hexadecimal digits that are the same for all visits of a person on one day. */
    async visitorId({ sessionId, ip, userAgent, at }: Visit): Promise<string> {
      if (sessionId) return shortHash(sessionId)
      return shortHash(Buffer.concat([await saltOf(dayOf(at)), Buffer.from(`${ip}\n${userAgent}`)]))
    },
  }
}

export type Visitors = ReturnType<typeof createVisitors>

/** Anonymises a user's page views without changing the counts. */
export const anonymisePageViews = (database: Database, userId: string) =>
  query(
    database,
    `update page_view set user_id = null, session_id = null, user_agent = null, referrer = null, ip = null
     where user_id = $1`,
    [userId],
  )
