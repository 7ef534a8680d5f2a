import { createHash, randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../../kernel/postgres/orm.ts'
import type { Clock } from '../../kernel/time.ts'

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

type TokenPurpose = 'verify' | 'reset'

export type MailTokens = ReturnType<typeof createMailTokens>

/** Single-use tokens in mailed links. Only their hashes are stored. */
export function createMailTokens(database: Database, now: Clock) {
  /** Invalidates a user's tokens for a purpose. */
  const revoke = (tx: EntityManager, userId: string, purpose: TokenPurpose) =>
    tx.execute('delete from mail_token where user_id = ? and purpose = ?', [userId, purpose])

  return {
    revoke,

    /** Returns a new token, within the caller's transaction, and invalidates earlier ones. */
    async issue(tx: EntityManager, userId: string, purpose: TokenPurpose, lifetimeMs: number): Promise<string> {
      const token = randomBytes(32).toString('base64url')
      // Without the lock, two concurrent transactions would not see, and so not revoke, each other's token.
      await tx.execute('select 1 from user_account where id = ? for update', [userId])
      await revoke(tx, userId, purpose)
      await tx.execute('insert into mail_token (hash, user_id, purpose, expires_at) values (?, ?, ?, ?)', [
        hashOf(token),
        userId,
        purpose,
        new Date(now() + lifetimeMs),
      ])
      return token
    },

    /** Returns the user id of a valid token. */
    async owner(token: string, purpose: TokenPurpose): Promise<string | undefined> {
      const [row] = await database.em
        .fork()
        .execute<{ user_id: string }[]>(
          'select user_id from mail_token where hash = ? and purpose = ? and expires_at > ?',
          [hashOf(token), purpose, new Date(now())],
        )
      return row?.user_id
    },

    /** Deletes a token. @returns false if another call has spent it first */
    async spend(tx: EntityManager, token: string): Promise<boolean> {
      const spent = await tx.execute<object[]>('delete from mail_token where hash = ? returning hash', [hashOf(token)])
      return spent.length > 0
    },
  }
}
