import { createHash, randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../../kernel/postgres/orm.ts'
import type { Clock } from '../../kernel/time.ts'
import type { UserAccount } from '../tables.ts'
import { composeMail } from './composeMail.ts'
import type { Outbox } from './outbox.ts'

const HOUR_MS = 3_600_000
const PURPOSES = {
  verify: { mail: 'verification', path: '/verify-email', lifetimeMs: 24 * HOUR_MS },
  reset: { mail: 'reset', path: '/reset-password', lifetimeMs: HOUR_MS },
} as const
type Purpose = keyof typeof PURPOSES

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export type MailedLinks = ReturnType<typeof createMailedLinks>

/** Creates a sender of emailed links with single-use tokens. Stores only the hashes of the tokens. */
export function createMailedLinks(database: Database, outbox: Outbox, publicUrl: () => string, now: Clock) {
  /** Invalidates a user's links for a purpose. */
  const revoke = (tx: EntityManager, userId: string, purpose: Purpose) =>
    tx.execute('delete from mail_token where user_id = ? and purpose = ?', [userId, purpose])

  return {
    revoke,

    /** Emails a link within the caller's transaction and invalidates earlier ones. Adds `query` to the link. */
    async send(
      tx: EntityManager,
      purpose: Purpose,
      user: Pick<UserAccount, 'id' | 'email' | 'fullName' | 'language'>,
      query: Readonly<Record<string, string>> = {},
    ): Promise<void> {
      const { mail, path, lifetimeMs } = PURPOSES[purpose]
      const token = randomBytes(32).toString('base64url')
      // Without this lock, concurrent transactions could not see, and would not revoke, each other's tokens.
      await tx.execute('select 1 from user_account where id = ? for update', [user.id])
      await revoke(tx, user.id, purpose)
      const row = [hashOf(token), user.id, purpose, new Date(now() + lifetimeMs)]
      await tx.execute('insert into mail_token (hash, user_id, purpose, expires_at) values (?, ?, ?, ?)', row)
      const link = `${publicUrl()}${path}?${new URLSearchParams({ token, ...query })}`
      await outbox.put(tx, user.id, composeMail(mail, user, link), lifetimeMs)
    },

    /** Returns the id of the user that a token was issued to; undefined if the token is invalid or has expired. */
    async owner(token: string, purpose: Purpose): Promise<string | undefined> {
      const sql = 'select user_id from mail_token where hash = ? and purpose = ? and expires_at > ?'
      const values = [hashOf(token), purpose, new Date(now())]
      const [row] = await database.em.fork().execute<{ user_id: string }[]>(sql, values)
      return row?.user_id
    },

    /** Deletes a token. @returns false if it was already spent */
    async spend(tx: EntityManager, token: string): Promise<boolean> {
      const spent = await tx.execute<object[]>('delete from mail_token where hash = ? returning hash', [hashOf(token)])
      return spent.length > 0
    },
  }
}
