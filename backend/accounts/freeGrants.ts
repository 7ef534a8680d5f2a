import { createHmac } from 'node:crypto'
import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'
import { FREE_GRANTS, formerKeys } from './keys/keyRing.ts'
import { keyFor } from './keys/seal.ts'
import type { UserAccount } from './tables.ts'

/**
 * Records which mailboxes have received free credits. Mailboxes are stored as keyed hashes, so the records survive
 * an erasure without identifying anyone. Hashes cannot be recomputed after a key changes, so former keys also apply.
 */
export function createFreeGrants(
  database: Database,
  masterKey: string,
  grantFreeCredits: (userId: string) => Promise<void>,
) {
  const hashOf = (identity: string, key: Buffer) => createHmac('sha256', key).update(identity).digest('hex')
  /** Claims the free credits of a mailbox for a user. @returns whether this user holds the claim */
  const claim = async (identity: string, userId: string): Promise<boolean> => {
    const em = database.em.fork()
    for (const key of await formerKeys(database, masterKey, FREE_GRANTS)) {
      const sql = 'select user_id from free_grant where address_hash = $1'
      const [grant] = await query<{ user_id: string | null }>(em, sql, [hashOf(identity, key)])
      if (grant) return grant.user_id === userId
    }
    const grant = [hashOf(identity, keyFor(FREE_GRANTS, masterKey)), userId]
    await query(em, 'insert into free_grant (address_hash, user_id) values ($1, $2) on conflict do nothing', grant)
    const own = await query(em, 'select 1 from free_grant where address_hash = $1 and user_id = $2', grant)
    return own.length > 0
  }

  return {
    /** Grants the free credits of a mailbox to a user. Idempotent. @returns false if another user received them */
    async grantOnce({ id, identity }: Pick<UserAccount, 'id' | 'identity'>): Promise<boolean> {
      const isClaimed = await claim(identity, id)
      if (isClaimed) await grantFreeCredits(id)
      return isClaimed
    },
  }
}

export type FreeGrants = ReturnType<typeof createFreeGrants>
