import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { seal, unseal } from './seal.ts'

/** Encrypts what a user writes with a key of the user's own: with the key gone, the events say nothing any more. */
export interface UserKeys {
  /** @throws Rejection unauthenticated: the account was erased, and gets no second key */
  encrypt(userId: string, text: string): Promise<string>
  /** Undefined when the user's key was destroyed. */
  decrypt(userId: string, sealed: string): Promise<string | undefined>
  /** Forever. Another process may know the key for a minute longer. */
  destroy(userId: string): Promise<void>
}

/** Users' keys lie in the database, wrapped with `encryptionKey` (64 hexadecimal digits). */
export function createUserKeys(database: Database, encryptionKey: string): UserKeys {
  const master = Buffer.from(encryptionKey, 'hex')
  const recent = new Map<string, Promise<Buffer | undefined>>()

  const stored = async (userId: string) => {
    const [row] = await database.em
      .fork()
      .execute<{ wrapped_key: string }[]>('select wrapped_key from user_key where user_id = ?', [userId])
    return row && unseal(master, row.wrapped_key)
  }

  /** Keys used last are kept for a minute: long enough for a list, short enough for an erasure to be felt. */
  const keyOf = (userId: string) => {
    const known = recent.get(userId)
    if (known) return known
    const key = stored(userId)
    recent.set(userId, key)
    setTimeout(() => recent.delete(userId), 60_000).unref()
    key.catch(() => recent.delete(userId))
    return key
  }

  return {
    async encrypt(userId, text) {
      let key = await keyOf(userId)
      if (!key) {
        const wrapped = seal(master, randomBytes(32))
        await database.em.fork().execute(
          `insert into user_key (user_id, wrapped_key) select ?, ?
             where not exists (select 1 from erasure where user_id = ?) on conflict do nothing`,
          [userId, wrapped, userId],
        )
        recent.delete(userId)
        key = await keyOf(userId)
        if (!key) throw new Rejection('unauthenticated', 'This account was deleted.')
      }
      return seal(key, Buffer.from(text))
    },

    async decrypt(userId, sealed) {
      const key = await keyOf(userId)
      return key && unseal(key, sealed).toString()
    },

    async destroy(userId) {
      await database.em.fork().execute('delete from user_key where user_id = ?', [userId])
      recent.delete(userId)
    },
  }
}

/** Returns every user's key, wrapped with the master key. */
export async function readWrappedKeys(client: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const { rows } = await client.query<{ wrapped_key: string }>('select wrapped_key from user_key')
  return rows.map((row) => row.wrapped_key)
}
