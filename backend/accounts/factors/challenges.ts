import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { Clock } from '../../kernel/time.ts'
import type { Cookies } from '../sessions/cookies.ts'

const LIFETIME_MS = 5 * 60_000

export type Challenges = ReturnType<typeof createChallenges>

/**
 * Creates the challenges that passkeys sign. A challenge is bound to the browser by a cookie, `<expiry>.<mac>`, and to a
 * session where there is one. It is stored only when it is answered, so that asking for one costs no row.
 */
export function createChallenges(database: Database, key: Buffer, cookies: Cookies, now: Clock = Date.now) {
  const macOf = (challenge: string, expiry: number, session: string) =>
    createHmac('sha256', key).update(`${challenge}.${expiry}.${session}`).digest('base64url')

  return {
    /** Sets the cookie and returns the challenge, in base64url. `session` is empty for a sign-in. */
    issue(ctx: Context, session = ''): string {
      const challenge = randomBytes(32).toString('base64url')
      const expiry = now() + LIFETIME_MS
      cookies.setChallenge(ctx, `${expiry}.${macOf(challenge, expiry, session)}`, LIFETIME_MS)
      return challenge
    },

    /** Accepts a challenge of this browser and session once. */
    async accept(ctx: Context, challenge: string, session = ''): Promise<boolean> {
      const [, expiry, mac] = /^(\d{13})\.([\w-]{43})$/.exec(cookies.challenge(ctx) ?? '') ?? []
      if (!expiry || !mac || Number(expiry) < now()) return false
      const expected = Buffer.from(macOf(challenge, Number(expiry), session))
      if (!timingSafeEqual(Buffer.from(mac), expected)) return false
      return spendOnce(database, challenge, Number(expiry), now())
    },
  }
}

/** Returns whether a text that is valid until `expiry`, in epoch milliseconds, is used for the first time. */
export async function spendOnce(database: Database, text: string, expiry: number, now: number): Promise<boolean> {
  const em = database.em.fork()
  await query(em, 'delete from spent_challenge where expires_at < $1', [new Date(now)])
  const row = [createHash('sha256').update(text).digest('hex'), new Date(expiry)]
  const sql = 'insert into spent_challenge (hash, expires_at) values ($1, $2) on conflict do nothing returning hash'
  return (await query<object>(em, sql, row)).length > 0
}
