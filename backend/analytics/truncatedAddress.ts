import { isIPv4, isIPv6 } from 'node:net'

/** The network of an address, /24 or /48, in CIDR notation: enough to tell where load comes from, too little to tell who. */
export function truncatedAddress(address: string): string | null {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (isIPv4(bare)) return `${bare.split('.').slice(0, 3).join('.')}.0/24`
  return isIPv6(bare) ? `${groupsOf(bare).slice(0, 3).join(':')}::/48` : null
}

/** The groups of an IPv6 address, with those that `::` stands for; a dotted end is left out, it is beyond the network. */
function groupsOf(address: string): string[] {
  const [left = '', right] = address.replace(/:\d+\.\d+\.\d+\.\d+$/, ':0:0').split('::')
  const before = left.split(':').filter(Boolean)
  const after = (right ?? '').split(':').filter(Boolean)
  const gap = right === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<string>(Math.max(0, gap)).fill('0'), ...after]
}
