import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Decrypter, Encrypter } from 'age-encryption'
import type { Recipients } from './recoveryPhrase.ts'

/** Size in bytes and SHA-256 of the plaintext. */
export interface Content {
  readonly bytes: number
  readonly sha256: string
}

/** Encrypts a file for both recipients in age's format, https://age-encryption.org/v1. */
export async function encryptFile(from: string, to: string, { phrase, drill }: Recipients): Promise<void> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(phrase)
  encrypter.addRecipient(drill)
  const plain = Readable.toWeb(createReadStream(from)) as globalThis.ReadableStream<Uint8Array>
  await pipeline(Readable.fromWeb((await encrypter.encrypt(plain)) as ReadableStream), createWriteStream(to))
}

/**
 * Decrypts a stream into the one that `open` returns, which is called once the key fits.
 * @throws Error the key does not open it, or it is incomplete or changed
 */
export async function decrypt(from: Readable, open: () => Writable, identity: string): Promise<Content> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const { tap, content } = measuring()
  try {
    const sealed = Readable.toWeb(from) as globalThis.ReadableStream<Uint8Array>
    await pipeline(Readable.fromWeb((await decrypter.decrypt(sealed)) as ReadableStream), tap, open())
  } finally {
    from.destroy()
  }
  return content()
}

/** Reads a file's size and hash. */
export async function measureFile(file: string): Promise<Content> {
  const { tap, content } = measuring()
  await pipeline(createReadStream(file), tap.resume())
  return content()
}

function measuring() {
  const hash = createHash('sha256')
  let bytes = 0
  const tap = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  return { tap, content: (): Content => ({ bytes, sha256: hash.digest('hex') }) }
}
