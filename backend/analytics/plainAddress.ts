import { isIP } from 'node:net'

/** An address as Postgres reads it: without a zone, and IPv4 as such. Null where there is none. */
export function plainAddress(address: string): string | null {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  return isIP(plain) ? plain : null
}
