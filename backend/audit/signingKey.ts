import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { UsageError } from '../kernel/commandLine.ts'
import { createOnce } from '../kernel/createOnce.ts'

const KEPT = 'audit-key.pem'

/** Reads the Ed25519 key from a file, by default from the data folder, where it is generated once. @throws UsageError */
export const signingKey = (file: string | undefined, dataDir: string): KeyObject =>
  file === undefined ? keptKey(path.join(dataDir, KEPT)) : keyIn(file)

/** Reads an Ed25519 key from a file, which is created with a new key if it does not exist. @throws UsageError */
export function keptKey(kept: string): KeyObject {
  if (existsSync(kept)) return keyIn(kept)
  mkdirSync(path.dirname(kept), { recursive: true })
  const { privateKey } = generateKeyPairSync('ed25519')
  createOnce(kept, String(privateKey.export({ type: 'pkcs8', format: 'pem' })))
  return keyIn(kept)
}

/** Returns the fingerprint of {@link signingKey}; undefined if none is given and none was generated. @throws UsageError */
export function ownFingerprint(file: string | undefined, dataDir: string): string | undefined {
  const key = ownKey(file, dataDir)
  return key && fingerprint(publicPem(key))
}

/** Returns {@link signingKey}; undefined if none is given and none was generated. @throws UsageError */
export function ownKey(file: string | undefined, dataDir: string): KeyObject | undefined {
  const own = file ?? path.join(dataDir, KEPT)
  return file !== undefined || existsSync(own) ? keyIn(own) : undefined
}

/** Reads an Ed25519 key from a file. @throws UsageError */
export function keyIn(file: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(file))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (error) {
    throw new UsageError(`${file} contains no private key (${(error as Error).message}).`)
  }
  throw new UsageError(`${file} contains no Ed25519 key.`)
}

export const publicPem = (key: KeyObject): string =>
  String(createPublicKey(key).export({ type: 'spki', format: 'pem' }))

/** Returns the hexadecimal SHA-256 of a public key's DER encoding, for manual comparison. */
export const fingerprint = (publicKeyPem: string): string =>
  createHash('sha256')
    .update(createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' }))
    .digest('hex')
