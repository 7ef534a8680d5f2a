import { isIPv4, isIPv6 } from 'node:net'
import type { Context } from 'koa'

const plainOf = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/, '')

/** Returns the 16-bit groups of an IPv6 address, without its zone id. */
function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = address.replace(/%.*/s, '').split('::')
  const groups = (part: string) => part.split(':').filter(Boolean)
  if (!address.includes('::')) return groups(head)
  const missing = Math.max(0, 8 - groups(head).length - groups(tail).length)
  return [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)]
}

/** Returns the address that rate limits apply to: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkAddress({ ip }: Pick<Context, 'ip'>): string {
  const plain = plainOf(ip)
  return plain.includes(':') ? `${groupsOf(plain).slice(0, 4).join(':')}::/64` : plain
}

/** Returns the widest network that one customer may have: an IPv4 address, or the /48 network of an IPv6 address. */
export function wideNetwork({ ip }: Pick<Context, 'ip'>): string {
  const plain = plainOf(ip)
  return plain.includes(':') ? `${groupsOf(plain).slice(0, 3).join(':')}::/48` : plain
}

/** Returns the network that users are shown: a /24 for IPv4, a /48 for IPv6; null if the address is unknown. */
export function coarseNetwork({ ip }: Pick<Context, 'ip'>): string | null {
  const plain = plainOf(ip)
  if (isIPv6(plain)) return `${groupsOf(plain).slice(0, 3).join(':')}::/48`
  return isIPv4(plain) ? `${plain.slice(0, plain.lastIndexOf('.'))}.0/24` : null
}
