import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** What a text is: an API key, or the code, access token or refresh token of a connection. */
export type Prefix = 'kin_' | 'kinc_' | 'kino_' | 'kinr_'
const RANDOM = 32
const CHECK = 6

/** The form of an API key, for secret scanners: `kin_`, 32 random characters, and 6 of their CRC-32. */
export const KEY_FORM = /^kin_[0-9A-Za-z]{38}$/

/** Returns the CRC-32 of a text in base62, padded to six characters. @example checksum('kin_0…V') === '263TCz' */
export function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let n = 0; n < CHECK; n++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}

/** Returns a new key with 190 random bits. */
export function makeKey(prefix: Prefix = 'kin_'): string {
  const random = Array.from({ length: RANDOM }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
  return prefix + random + checksum(prefix + random)
}

/** The form of a key or of the access token of a connection. */
const BEARER_FORM = /^kino?_[0-9A-Za-z]{38}$/

/** Returns whether a text is a whole key or access token, without a typing error. Says nothing about whether the key exists. */
export const isWellFormed = (text: string): boolean =>
  BEARER_FORM.test(text) && checksum(text.slice(0, -CHECK)) === text.slice(-CHECK)

/** Returns the hash under which a key is stored. Keys are random, so a fast hash is enough. */
export const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()
