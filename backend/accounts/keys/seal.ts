import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

/** Encrypts with AES-256-GCM and a 32-byte key. Returns nonce (12 bytes), tag (16 bytes) and ciphertext in base64. */
export function seal(key: Buffer, plain: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
}

/** Decrypts the output of {@link seal}. @throws Error if it was modified or encrypted with another key */
export function unseal(key: Buffer, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
}

/** Returns whether {@link unseal} succeeds. */
export function opens(key: Buffer, sealed: string): boolean {
  try {
    unseal(key, sealed)
    return true
  } catch {
    return false
  }
}

/** Derives a 32-byte key for one purpose from the hex-encoded master key. */
export const keyFor = (purpose: string, masterKey: string): Buffer =>
  createHmac('sha256', Buffer.from(masterKey, 'hex')).update(purpose).digest()
