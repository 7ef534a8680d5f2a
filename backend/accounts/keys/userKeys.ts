import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { seal, unseal } from './seal.ts'

/** Long enough to decrypt a list with one key read, short enough for an erasure to take effect soon. */
const CACHE_MS = 60_000

/**
 * Creates the encryption of users' texts, with one key per user: destroying a key erases that user's texts in the event
 * log. Keys are stored wrapped with the master key (64 hexadecimal digits).
 */
export function createUserKeys(database: Database, masterKey: string) {
  const master = Buffer.from(masterKey, 'hex')
  const cache = new Map<string, Promise<Buffer | undefined>>()

  const stored = async (userId: string) => {
    const sql = 'select wrapped_key from user_key where user_id = ?'
    const [row] = await database.em.fork().execute<{ wrapped_key: string }[]>(sql, [userId])
    return row && unseal(master, row.wrapped_key)
  }

  const keyOf = (userId: string) => {
    const cached = cache.get(userId)
    if (cached) return cached
    const key = stored(userId)
    cache.set(userId, key)
    setTimeout(() => cache.delete(userId), CACHE_MS).unref()
    key.catch(() => cache.delete(userId))
    return key
  }

  return {
    /** @throws Rejection unauthenticated, if the account was deleted: it must not get a new key */
    async encrypt(userId: string, text: string): Promise<string> {
      let key = await keyOf(userId)
      if (!key) {
        const wrapped = seal(master, randomBytes(32))
        await database.em.fork().execute(
          `insert into user_key (user_id, wrapped_key) select ?, ?
             where not exists (select 1 from erasure where user_id = ?) on conflict do nothing`,
          [userId, wrapped, userId],
        )
        cache.delete(userId)
        key = await keyOf(userId)
        if (!key) throw new Rejection('unauthenticated', 'This account was deleted.')
      }
      return seal(key, Buffer.from(text))
    },

    /** Returns the text; undefined if the user's key was destroyed. */
    async decrypt(userId: string, sealed: string): Promise<string | undefined> {
      const key = await keyOf(userId)
      return key && unseal(key, sealed).toString()
    },

    /** Destroys the user's key. Other processes may keep it in their caches for up to a minute. */
    async destroy(userId: string): Promise<void> {
      await database.em.fork().execute('delete from user_key where user_id = ?', [userId])
      cache.delete(userId)
    },
  }
}

/** Returns every user's key, wrapped with the master key. */
export async function readWrappedKeys(client: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const { rows } = await client.query<{ wrapped_key: string }>('select wrapped_key from user_key')
  return rows.map((row) => row.wrapped_key)
}
