import { createHmac } from 'node:crypto'
import type { Database } from '../kernel/postgres/orm.ts'

/**
 * Who has had the free credits: by keyed hashes of mailboxes, so that it outlives an erasure without naming anyone. Hashes
 * cannot be made anew when the key is changed, so that those of `former` keys count as well.
 */
export function createFreeGrants(
  database: Database,
  key: Buffer,
  former: () => Promise<readonly Buffer[]> = async () => [],
) {
  const hashOf = (identity: string, by: Buffer) => createHmac('sha256', by).update(identity).digest('hex')
  return {
    /** Whether the credits of this mailbox are the user's; the first who asks has them, however often. */
    async claim(identity: string, userId: string): Promise<boolean> {
      const hash = hashOf(identity, key)
      const em = database.em.fork()
      for (const earlier of await former()) {
        const [grant] = await em.execute<{ user_id: string | null }[]>(
          'select user_id from free_grant where address_hash = ?',
          [hashOf(identity, earlier)],
        )
        if (grant) return grant.user_id === userId
      }
      await em.execute('insert into free_grant (address_hash, user_id) values (?, ?) on conflict do nothing', [
        hash,
        userId,
      ])
      const own = await em.execute('select 1 from free_grant where address_hash = ? and user_id = ?', [hash, userId])
      return own.length > 0
    },
  }
}

export type FreeGrants = ReturnType<typeof createFreeGrants>
