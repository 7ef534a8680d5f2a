import { createCipheriv, createDecipheriv, createHmac, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'

/** What a sealed value is and whose. It is authenticated, so a value that is moved to another place does not open. */
export type About = Readonly<{
  purpose: string
  /** Undefined for values that belong to no user. */
  userId?: string
  /** Identifies the row or the event. */
  row: string
}>

/** A key, and the one that earlier releases used in its place. Both are 32 bytes long. A `KeyObject` is used faster. */
export type VersionedKey<Key extends Buffer | KeyObject = Buffer | KeyObject> = Readonly<{ key: Key; former: Key }>

/** Starts values that authenticate what they are about. Base64, of which earlier values consist, has no full stop. */
const VERSION = 'v2.'

const authenticated = ({ purpose, userId = '', row }: About) => Buffer.from(JSON.stringify([purpose, userId, row]))

/**
 * Encrypts with AES-256-GCM. Returns `v2.` and, in base64, nonce (12 bytes), tag (16 bytes) and ciphertext.
 * @example seal(wrappingKey(masterKey), key, { purpose: 'user key', userId, row: userId })
 */
export function seal({ key }: VersionedKey, plain: Buffer, about: About): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(authenticated(about))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
}

/**
 * Decrypts the output of {@link seal}, or a value that an earlier release sealed.
 * @throws Error if it was modified, moved, or encrypted with another key
 */
export function unseal({ key, former }: VersionedKey, sealed: string, about: About): Buffer {
  const isCurrent = sealed.startsWith(VERSION)
  const bytes = Buffer.from(isCurrent ? sealed.slice(VERSION.length) : sealed, 'base64')
  const nonce = bytes.subarray(0, 12)
  const decipher = createDecipheriv('aes-256-gcm', isCurrent ? key : former, nonce, { authTagLength: 16 })
  if (isCurrent) decipher.setAAD(authenticated(about))
  decipher.setAuthTag(bytes.subarray(12, 28))
  const plain = decipher.update(bytes.subarray(28))
  // Checks the tag. GCM leaves no bytes for the end.
  decipher.final()
  return plain
}

/** Returns whether {@link unseal} succeeds. */
export function opens(key: VersionedKey, sealed: string, about: About): boolean {
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
export const wrappingKey = (masterKey: string): VersionedKey<Buffer> => ({
  key: derive(masterKey, 'wrapping'),
  former: Buffer.from(masterKey, 'hex'),
})

/** Derives a 32-byte key for one purpose from the master key. */
export const keyFor = (purpose: string, masterKey: string): Buffer => derive(masterKey, `purpose: ${purpose}`)

/** Derives the key that earlier releases used for a purpose. */
export const formerKeyFor = (purpose: string, masterKey: string): Buffer =>
  createHmac('sha256', Buffer.from(masterKey, 'hex')).update(purpose).digest()

/** Derives the current and the former key for one purpose, where values of earlier releases must stay valid. */
export const versionedKeyFor = (purpose: string, masterKey: string): VersionedKey<Buffer> => ({
  key: keyFor(purpose, masterKey),
  former: formerKeyFor(purpose, masterKey),
})
