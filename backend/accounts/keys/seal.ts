import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

/** Encrypts with AES-256-GCM. Returns base64 of nonce (12 bytes), tag (16 bytes) and ciphertext. The key has 32 bytes. */
export function seal(key: Buffer, plain: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
}

/** Decrypts what {@link seal} returned. @throws Error it was changed, or sealed with another key */
export function unseal(key: Buffer, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
}

/** Derives an independent key for one purpose from the master key (hexadecimal digits). */
export const keyFor = (purpose: string, masterKey: string): Buffer =>
  createHmac('sha256', Buffer.from(masterKey, 'hex')).update(purpose).digest()
