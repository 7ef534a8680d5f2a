import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Global unicast addresses (RFC 4291). Outside it are the old forms that embed IPv4 addresses. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/**
 * Returns whether an IP address belongs to the public internet, and not to this machine, a private network, a cloud's
 * metadata service or a reserved range.
 * @example isPublicAddress('::ffff:10.0.0.1') // false
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6))
}

type Resolve = (
  host: string,
  options: { all: true },
  answer: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Creates a `lookup` for sockets that returns only public addresses. The socket connects to the address returned, so a
 * name that resolves differently a second time gains nothing.
 * @example https.get(url, { lookup: publicLookup() })
 */
export const publicLookup =
  (resolve: Resolve = lookup): LookupFunction =>
  (host, options, answer) =>
    resolve(host, { ...options, all: true }, (error, addresses = []) => {
      if (error) return answer(error, '')
      const [first, ...others] = addresses.filter(({ address }) => isPublicAddress(address))
      if (!first) return answer(new PrivateAddress(host), '')
      if (options.all) return answer(null, [first, ...others])
      answer(null, first.address, first.family)
    })

/** The host has no public address. */
export class PrivateAddress extends Error {
  override name = 'PrivateAddress'

  constructor(host: string) {
    super(`${host} has no public address`)
  }
}
