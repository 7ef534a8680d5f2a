import { hash, randomBytes } from 'node:crypto'
import type pg from 'pg'

export interface Visit {
  readonly sessionId: string | null
  readonly ip: string
  readonly userAgent: string
  /** The operator's day. */
  readonly day: string
}

/** 128 bits of a hash, as Postgres takes a UUID: short in the tables. */
const shortHash = (content: string | Buffer) => hash('sha256', content).slice(0, 32)

/**
 * Tells visitors apart without a cookie: by the number that the page made for its tab, and without one by the address and
 * the browser, hashed with a salt of the day. When the day is over a sweep removes its salt, and nobody, not even the
 * operator, can tell any more whose hash it was.
 */
export function createVisitors(pool: Pick<pg.Pool, 'query'>) {
  let current: { day: string; salt: Promise<Buffer> } | undefined

  const makeSalt = async (day: string) => {
    await pool.query('insert into visitor_salt (day, salt) values ($1, $2) on conflict do nothing', [
      day,
      randomBytes(32),
    ])
    const { rows } = await pool.query<{ salt: Buffer }>('select salt from visitor_salt where day = $1', [day])
    return rows[0]!.salt
  }
  const saltOf = (day: string) => {
    if (current?.day === day) return current.salt
    const salt = makeSalt(day)
    current = { day, salt }
    salt.catch(() => {
      current = undefined
    })
    return salt
  }

  return {
    idOf: async ({ sessionId, ip, userAgent, day }: Visit): Promise<string> =>
      sessionId
        ? shortHash(sessionId)
        : shortHash(Buffer.concat([await saltOf(day), Buffer.from(`${ip}\n${userAgent}`)])),
  }
}

export type Visitors = ReturnType<typeof createVisitors>
