import { isIP } from 'node:net'

/** Retention of visitors' full addresses. Older ones are shortened to their network. */
export const FULL_ADDRESS_MS = 24 * 3_600_000

/** SQL: the network of the column `ip`, /24 for IPv4 and /48 for IPv6. */
export const NETWORK = `network(set_masklen(ip, least(masklen(ip), case family(ip) when 4 then 24 else 48 end)))`

/** Returns the address in a form that Postgres accepts: without a zone id, IPv4 unmapped. Null if it is not an IP address. */
export function normalizeAddress(address: string): string | null {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  return isIP(plain) ? plain : null
}
