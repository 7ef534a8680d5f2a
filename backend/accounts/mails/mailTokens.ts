import { createHash, randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../../kernel/postgres/orm.ts'

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/** What a token is good for. */
export type TokenPurpose = 'verify' | 'reset'

/** Single-use tokens that are mailed to a user; only their hash is kept. */
export function createMailTokens(database: Database, now: () => number) {
  return {
    /** A new token for a purpose, in a transaction of the caller's; the ones before it are worth nothing any more. */
    async issue(tx: EntityManager, userId: string, purpose: TokenPurpose, lifeMs: number): Promise<string> {
      const token = randomBytes(32).toString('base64url')
      // One at a time: two at once would each leave the other's token in place.
      await tx.execute('select 1 from user_account where id = ? for update', [userId])
      await tx.execute('delete from mail_token where user_id = ? and purpose = ?', [userId, purpose])
      await tx.execute('insert into mail_token (hash, user_id, purpose, expires_at) values (?, ?, ?, ?)', [
        hashOf(token),
        userId,
        purpose,
        new Date(now() + lifeMs),
      ])
      return token
    },

    /** Whose token it is, if it is still good. */
    async owner(token: string, purpose: TokenPurpose): Promise<string | undefined> {
      const [row] = await database.em
        .fork()
        .execute<{ user_id: string }[]>(
          'select user_id from mail_token where hash = ? and purpose = ? and expires_at > ?',
          [hashOf(token), purpose, new Date(now())],
        )
      return row?.user_id
    },

    /** Whether the token was still there: of two who spend it at once, one does. */
    async spend(tx: EntityManager, token: string): Promise<boolean> {
      const spent = await tx.execute<object[]>('delete from mail_token where hash = ? returning hash', [hashOf(token)])
      return spent.length > 0
    },

    /** Makes what was issued for a purpose worthless. */
    async revoke(tx: EntityManager, userId: string, purpose: TokenPurpose): Promise<void> {
      await tx.execute('delete from mail_token where user_id = ? and purpose = ?', [userId, purpose])
    },
  }
}

export type MailTokens = ReturnType<typeof createMailTokens>
