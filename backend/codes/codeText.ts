import { createHmac, randomBytes } from 'node:crypto'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'

/** Crockford's Base32: no I, L, O or U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 20
const FORM = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

/** Returns a new code with 100 random bits, in groups of four. @example 'K7QM-2R4T-9XWB-0HJC-V3ZD' */
export function makeCode(): string {
  // 256 is a multiple of 32, so every character is equally likely.
  const characters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length))
  return characters.join('').replace(/.{4}(?=.)/g, '$&-')
}

/** Returns the characters of a code that a person typed or pasted; undefined if it cannot be one. */
export function readCode(typed: string): string | undefined {
  const characters = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
  return FORM.test(characters) ? characters : undefined
}

/** Returns the id of the stream of a code. Without the key, the log and its copies cannot be searched for a code. */
export const codeIdOf = (characters: string, key: Buffer): string =>
  derivedId('code', createHmac('sha256', key).update(characters).digest('hex'))
