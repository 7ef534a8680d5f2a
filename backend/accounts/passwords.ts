import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** Argon2id parameters recommended by OWASP: 19 MiB of memory, two passes, one lane. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

const tagOf = (password: string, nonce: Buffer, { memory, passes, parallelism, tagLength } = PARAMETERS) =>
  derive('argon2id', { message: password.normalize('NFKC'), nonce, memory, passes, parallelism, tagLength })

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** Returns the PHC string format: algorithm, parameters, salt and tag. */
function phc(nonce: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = PARAMETERS
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}

/** Hashes a password. Returns a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  return phc(nonce, await tagOf(password, nonce))
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/

/** Returns a random hash that no password is known for. Comparing with it takes as long as with any other. */
export const unusablePassword = (): string => phc(randomBytes(16), randomBytes(PARAMETERS.tagLength))

/** Compares a password with a PHC hash in constant time. Returns false if the hash is malformed. */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = PHC.exec(hash) ?? []
  if (!nonce || !tag) return false
  const expected = Buffer.from(tag, 'base64')
  const parameters = {
    ...{ memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    tagLength: expected.length,
  }
  return timingSafeEqual(await tagOf(password, Buffer.from(nonce, 'base64'), parameters), expected)
}
