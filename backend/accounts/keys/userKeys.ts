import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../../kernel/eventsourcing/pure/eventHash.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import { type About, opens, seal, unseal, wrappingKey } from './seal.ts'

/** Long enough to decrypt a list with one key read, short enough for an erasure to take effect soon. */
const CACHE_MS = 60_000

/** A user's key, or a text, cannot be decrypted: it was damaged, or sealed with another key. */
class Undecryptable extends Error {
  override name = 'Undecryptable'
}

/**
 * Which of a user's texts: its purpose and the task or subscription that it belongs to. `owner`: the account with whose erasure
 * the key is destroyed, if the text is of the account's team.
 */
export type UserText = About & { readonly userId: string; readonly owner?: string }

/** Returns the id of a user's team, whose key is stored as if it were a user. */
export const teamIdOf = (ownerId: string): string => derivedId('team', ownerId)

const aboutKey = (userId: string): About => ({ purpose: 'user key', userId, row: userId })

/** Called at most once a minute for each user whose key cannot be opened. */
type OnDamaged = (userId: string, error: unknown) => void

export type UserKeys = ReturnType<typeof createUserKeys>

/**
 * Creates the encryption of users' texts, with one key per user: destroying a key erases that user's texts in the event
 * log. Keys are stored wrapped with the master key (64 hexadecimal digits).
 */
export function createUserKeys(database: Database, masterKey: string, onDamaged: OnDamaged = () => {}) {
  const wrapping = wrappingKey(masterKey)
  const cache = new Map<string, Promise<KeyObject | undefined>>()

  const keyOf = (userId: string) => {
    const cached = cache.get(userId)
    if (cached) return cached
    const key = readKey(database, wrapping, onDamaged, userId)
    cache.set(userId, key)
    setTimeout(() => cache.delete(userId), CACHE_MS).unref()
    // A key that cannot be opened stays so; a database that cannot be reached does not.
    key.catch((error) => error instanceof Undecryptable || cache.delete(userId))
    return key
  }

  const decrypt = async (about: UserText, sealed: string) => {
    const key = await keyOf(about.userId)
    return key && unsealText(key, sealed, about)
  }

  const forget = (userId?: string): void => {
    if (userId === undefined) cache.clear()
    else for (const id of [userId, teamIdOf(userId)]) cache.delete(id)
  }

  return {
    /** @throws Rejection unauthenticated, if the account was deleted: it must not get a new key */
    async encrypt(about: UserText, text: string): Promise<string> {
      const { userId, owner = userId } = about
      let key = await keyOf(userId)
      if (!key) {
        await addKey(database, userId, owner, seal(wrapping, randomBytes(32), aboutKey(userId)))
        cache.delete(userId)
        key = await keyOf(userId)
        if (!key) throw new Rejection('unauthenticated', 'This account was deleted.')
      }
      return seal(key, Buffer.from(text), about)
    },

    /** Returns the text; undefined if the user's key was destroyed. @throws Undecryptable */
    decrypt,

    /** Returns the text for display; undefined if it cannot be decrypted, so that only the text is missing. */
    async tryDecrypt(about: UserText, sealed: string): Promise<string | undefined> {
      try {
        return await decrypt(about, sealed)
      } catch (error) {
        if (error instanceof Undecryptable) return undefined
        throw error
      }
    },

    async destroy(userId: string): Promise<void> {
      await destroyUserKey(database.em.fork(), userId)
      forget(userId)
    },

    /** Reads the keys of a user and of the user's team again at their next use; without an id, all keys. */
    forget,
  }
}

async function readKey(database: Database, wrapping: Buffer, onDamaged: OnDamaged, userId: string) {
  const sql = 'select wrapped_key from user_key where user_id = $1'
  const [row] = await query<{ wrapped_key: string }>(database, sql, [userId])
  try {
    return row && createSecretKey(unseal(wrapping, row.wrapped_key, aboutKey(userId)))
  } catch (error) {
    onDamaged(userId, error)
    throw new Undecryptable("The user's key cannot be opened.", { cause: error })
  }
}

function unsealText(key: KeyObject, sealed: string, about: UserText): string {
  try {
    return unseal(key, sealed, about).toString()
  } catch (error) {
    throw new Undecryptable('The text cannot be decrypted.', { cause: error })
  }
}

/** Stores a wrapped key, unless the user has one, or the owner was deleted. */
async function addKey(database: Database, userId: string, owner: string, wrapped: string): Promise<void> {
  await query(
    database,
    `insert into user_key (user_id, wrapped_key) select $1, $2
       where not exists (select 1 from erasure where user_id = $3) on conflict do nothing`,
    [userId, wrapped, owner],
  )
}

/** Deletes the user's key, and that of the user's team, from the database. */
export async function destroyUserKey(
  database: { execute(sql: string, values: readonly unknown[]): Promise<unknown> },
  userId: string,
): Promise<void> {
  await query(database, 'delete from user_key where user_id in ($1, $2)', [userId, teamIdOf(userId)])
}

type WrappedKey = Readonly<{ user_id: string; wrapped_key: string }>

/** Returns every user's key, wrapped with the master key. */
export async function readWrappedKeys(client: Pick<pg.ClientBase, 'query'>): Promise<WrappedKey[]> {
  return (await client.query<WrappedKey>('select user_id, wrapped_key from user_key')).rows
}

/** Returns whether a master key unwraps a user's key. */
export const opensUserKey = (masterKey: string, { user_id, wrapped_key }: WrappedKey): boolean =>
  opens(wrappingKey(masterKey), wrapped_key, aboutKey(user_id))

/** Wraps a user's key with another master key. @throws Error if the first one does not unwrap it */
export const rewrapUserKey = (from: string, to: string, { user_id, wrapped_key }: WrappedKey): string =>
  seal(wrappingKey(to), unseal(wrappingKey(from), wrapped_key, aboutKey(user_id)), aboutKey(user_id))
