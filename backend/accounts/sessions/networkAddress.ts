import type { Context } from 'koa'

/** Returns the address that rate limits apply to: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkAddress({ ip }: Pick<Context, 'ip'>): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/, '')
  if (!plain.includes(':')) return plain
  const [head = '', tail = ''] = plain.split('::')
  const groups = (part: string) => part.split(':').filter(Boolean)
  const missing = Math.max(0, 8 - groups(head).length - groups(tail).length)
  const full = plain.includes('::')
    ? [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)]
    : groups(head)
  return `${full.slice(0, 4).join(':')}::/64`
}
