import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Database } from '../database/orm.ts'

/** Encrypts what a user writes with a key of the user's own: with the key gone, the events say nothing any more. */
export interface UserKeys {
  encrypt(userId: string, text: string): Promise<string>
  /** Undefined when the user's key was destroyed. */
  decrypt(userId: string, sealed: string): Promise<string | undefined>
}

/** AES-256-GCM: a nonce of 12 bytes, a tag of 16, then the ciphertext, in base64. */
function seal(key: Buffer, plain: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
}

function open(key: Buffer, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
}

/** Users' keys lie in the database, wrapped with `encryptionKey` (64 hexadecimal digits). */
export function createUserKeys(database: Database, encryptionKey: string): UserKeys {
  const master = Buffer.from(encryptionKey, 'hex')
  const recent = new Map<string, Promise<Buffer | undefined>>()

  const stored = async (userId: string) => {
    const [row] = await database.em
      .fork()
      .execute<{ wrapped_key: string }[]>('select wrapped_key from user_key where user_id = ?', [userId])
    return row && open(master, row.wrapped_key)
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
        await database.em
          .fork()
          .execute('insert into user_key (user_id, wrapped_key) values (?, ?) on conflict do nothing', [
            userId,
            wrapped,
          ])
        recent.delete(userId)
        key = (await keyOf(userId))!
      }
      return seal(key, Buffer.from(text))
    },

    async decrypt(userId, sealed) {
      const key = await keyOf(userId)
      return key && open(key, sealed).toString()
    },
  }
}
