import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'

/** What a sealed value is and whose. It is authenticated, so a value that is moved to another place does not open. */
export type About = Readonly<{
  purpose: string
  /** Undefined for values that belong to no user. */
  userId?: string
  /** Identifies the row or the event. */
  row: string
}>

/** 32 bytes. A `KeyObject` is used faster. */
export type SealingKey = Buffer | KeyObject

/** Version of the form of sealed values. */
const VERSION = 'v2.'

const authenticated = ({ purpose, userId = '', row }: About) => Buffer.from(JSON.stringify([purpose, userId, row]))

/**
 * Encrypts with AES-256-GCM. Returns `v2.` and, in base64, nonce (12 bytes), tag (16 bytes) and ciphertext.
 * @example seal(wrappingKey(masterKey), key, { purpose: 'user key', userId, row: userId })
 */
export function seal(key: SealingKey, plain: Buffer, about: About): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(authenticated(about))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
}

/**
 * Decrypts the output of {@link seal}.
 * @throws Error if it was modified, moved, or encrypted with another key
 */
export function unseal(key: SealingKey, sealed: string, about: About): Buffer {
  if (!sealed.startsWith(VERSION)) throw new Error('Not a sealed value.')
  const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAAD(authenticated(about)).setAuthTag(bytes.subarray(12, 28))
  const plain = decipher.update(bytes.subarray(28))
  // Checks the tag. GCM leaves no bytes for the end.
  decipher.final()
  return plain
}

/** Returns whether {@link unseal} succeeds. */
export function opens(key: SealingKey, sealed: string, about: About): boolean {
  try {
    unseal(key, sealed, about)
    return true
  } catch {
    return false
  }
}

const derive = (masterKey: string, info: string) =>
  Buffer.from(hkdfSync('sha256', Buffer.from(masterKey, 'hex'), '', `kinora ${info}`, 32))

/** Returns the key that wraps other keys. Master keys are 64 hexadecimal digits. */
export const wrappingKey = (masterKey: string): Buffer => derive(masterKey, 'wrapping')

/** Derives a 32-byte key for one purpose from the master key. */
export const keyFor = (purpose: string, masterKey: string): Buffer => derive(masterKey, `purpose: ${purpose}`)
