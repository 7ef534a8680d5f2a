import { createHmac } from 'node:crypto'
import type { Database } from '../database/orm.ts'

/** Who has had the free credits: by keyed hashes of mailboxes, so that it outlives an erasure without naming anyone. */
export function createFreeGrants(database: Database, key: Buffer) {
  return {
    /** Whether the credits of this mailbox are the user's; the first who asks has them, however often. */
    async claim(identity: string, userId: string): Promise<boolean> {
      const hash = createHmac('sha256', key).update(identity).digest('hex')
      const em = database.em.fork()
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
