import { isIP } from 'node:net'

/** Retention of visitors' full IP addresses, ms. Older addresses are truncated to their network. */
export const FULL_ADDRESS_MS = 24 * 3_600_000

/** SQL expression for the network of the column `ip`: /24 for IPv4, /48 for IPv6. */
export const NETWORK = `network(set_masklen(ip, least(masklen(ip), case family(ip) when 4 then 24 else 48 end)))`

/**
 * Removes the zone id and an IPv4-mapped prefix, so that Postgres accepts the address. Returns null if it is invalid.
 */
export function normalizeAddress(address: string): string | null {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/s, '')
  return isIP(plain) ? plain : null
}
