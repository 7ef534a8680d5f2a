import { type LookupAddress, lookup } from 'node:dns'
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { isLoopback } from '../../isLoopback.ts'

/** Special ranges (IANA registries, RFC 6890). A BlockList applies those of IPv4 to IPv4-mapped addresses too. */
const SPECIAL = blockList(
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
)
/** Global unicast addresses (RFC 4291) and IPv4-mapped ones. Outside are the other forms that embed IPv4 addresses. */
const GLOBAL_IPV6 = blockList('2000::/3', '::ffff:0:0/96')

function blockList(...ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const [net, prefix] of ranges.map((range) => range.split('/') as [string, string]))
    list.addSubnet(net, Number(prefix), net.includes(':') ? 'ipv6' : 'ipv4')
  return list
}

/**
 * Returns whether an IP address belongs to the public internet, and not to this machine, a private network, a cloud's
 * metadata service or a reserved range.
 * @example isPublicAddress('::ffff:10.0.0.1') // false
 */
export function isPublicAddress(text: string): boolean {
  const version = isIP(text)
  if (version === 4) return !SPECIAL.check(text)
  return version === 6 && GLOBAL_IPV6.check(text, 'ipv6') && !SPECIAL.check(text, 'ipv6')
}

const PRIVATE_NAME = /^[^.:]+$|\.(local|internal|lan|home\.arpa)$/

/** Removes the brackets and the final dot of a host. URL has already rewritten other spellings of IPv4 addresses. */
const bare = (hostname: string) => hostname.replace(/^\[|\]$|\.$/g, '')

/**
 * Returns whether a host, as in a URL, is this machine or belongs to a private network.
 * @example isPrivateHost('[::1]') // true
 */
export function isPrivateHost(hostname: string): boolean {
  const host = bare(hostname)
  return isLoopback(host) || (isIP(host) ? !isPublicAddress(host) : PRIVATE_NAME.test(host))
}

/** Returns a host of a list as URLs spell it, or undefined if it is not a host alone. @example toHost('10.1') // '10.0.0.1' */
export function toHost(text: string): string | undefined {
  const url = URL.parse(`http://${isIP(text) === 6 ? `[${text}]` : text}`)
  return url && url.href === `http://${url.hostname}/` ? bare(url.hostname) : undefined
}

/** This server must not request the address. The message never contains what a name resolves to. */
export class RefusedAddress extends Error {
  override name = 'RefusedAddress'
}

type Resolve = (
  host: string,
  options: { all: true },
  answer: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Creates a `lookup` for sockets that returns only public addresses. The socket connects to the address returned, so a
 * name that resolves differently a second time gains nothing.
 */
export const publicLookup =
  (resolve: Resolve = lookup): LookupFunction =>
  (host, options, answer) =>
    resolve(host, { ...options, all: true }, (error, addresses = []) => {
      if (error) return answer(error, '')
      const [first, ...others] = addresses.filter(({ address }) => isPublicAddress(address))
      if (!first) return answer(new RefusedAddress(`${host} has no public address`), '')
      if (options.all) return answer(null, [first, ...others])
      answer(null, first.address, first.family)
    })

export interface GuardOptions {
  /** Hosts of the operator's list, which may be private, by {@link toHost}. */
  readonly privateHosts?: readonly string[]
  /** Whether those hosts may do without TLS. */
  readonly allowsHttp?: boolean
  /** Origins of the configuration, which may be anywhere. */
  readonly origins?: readonly string[]
  /** Says in errors how the operator can allow a private host. */
  readonly hint?: string
  readonly resolve?: Resolve
}

type Sent = Pick<RequestOptions, 'method' | 'headers' | 'signal'>

interface OpenOptions {
  /** Returns the headers for an address. */
  readonly headers: (url: URL) => Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

interface SendOptions extends Pick<RequestOptions, 'method' | 'headers'> {
  readonly body?: string | Uint8Array | null
  readonly timeoutMs?: number
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Guard {
  /** Checks an address except for what its name resolves to. @throws RefusedAddress */
  check(address: string | URL, base?: URL): URL
  /**
   * Starts a request, which follows no redirect. It has a connection of its own, because a kept-alive one was not
   * necessarily checked. If its name has no public address, the request fails with RefusedAddress.
   * @throws RefusedAddress
   */
  request(address: string | URL, options: Sent, onAnswer?: (answer: IncomingMessage) => void): ClientRequest
  /** Requests a file. Follows up to five redirects, and checks each. The caller limits the file. @throws RefusedAddress */
  open(address: string, options: OpenOptions): Promise<IncomingMessage>
  /** Sends a request, follows no redirect, and reads up to 64 KiB of the answer. @throws RefusedAddress */
  send(address: string, options: SendOptions): Promise<Answer>
  /** Returns this guard with an address of the configuration, whose origin may be anywhere. */
  trusting(address: string): Guard
}

const MAX_REDIRECTS = 5
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308]
const MAX_ANSWER_BYTES = 64 * 1024
const TIMEOUT_MS = 15_000

/**
 * Creates the guard of requests to addresses that strangers give. They lead over https to public addresses, or to what
 * the operator allows. See docs/decisions/0073-one-guard.md.
 * @example await createGuard().send('https://hooks.example/x', { method: 'POST', body: '{}' })
 */
export function createGuard(options: GuardOptions = {}): Guard {
  const { privateHosts = [], allowsHttp = false, origins = [], hint = '', resolve } = options
  const isListed = ({ hostname }: URL) => privateHosts.includes(bare(hostname))
  const isConfigured = ({ origin }: URL) => origins.includes(origin)

  function check(address: string | URL, base?: URL): URL {
    const url = URL.parse(String(address), base)
    if (!url) throw new RefusedAddress('The text is not an address')
    const { protocol, username, password, hostname, port } = url
    if (username || password) throw new RefusedAddress(`The address at ${hostname} has a user or password`)
    if (isConfigured(url)) return url
    if (isPrivateHost(hostname) && !isListed(url)) throw new RefusedAddress(`${hostname} has no public address${hint}`)
    if (protocol !== 'https:' && !(protocol === 'http:' && allowsHttp && isListed(url)))
      throw new RefusedAddress(`The address at ${hostname} is not https`)
    if (port !== '' && Number(port) < 1024) throw new RefusedAddress(`The port ${port} of ${hostname} is not allowed`)
    return url
  }

  const request: Guard['request'] = (address, sent, onAnswer) => {
    const url = check(address)
    // Sockets call `lookup` for names only.
    const pinned = isConfigured(url) || isListed(url) ? {} : { lookup: publicLookup(resolve) }
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest
    return start(url, { ...sent, agent: false, ...pinned }, onAnswer)
  }

  const answerTo = (address: string | URL, sent: Sent, body?: SendOptions['body']) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      // An answer that switches protocols closes the connection without an error.
      const closed = () => reject(new Error('The connection was closed without an answer'))
      request(address, sent, resolve).on('error', reject).on('close', closed).end(body)
    })

  return {
    check,
    request,

    async open(address, { headers, signal }) {
      let url = check(address)
      for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
        const answer = await answerTo(url, { headers: headers(url), signal })
        const { location } = answer.headers
        if (!location || !REDIRECTS.includes(answer.statusCode)) return answer
        answer.destroy()
        url = check(location, url)
      }
      throw new Error('The address redirects too often')
    },

    async send(address, { body, timeoutMs = TIMEOUT_MS, ...sent }) {
      const answer = await answerTo(address, { ...sent, signal: AbortSignal.timeout(timeoutMs) }, body)
      const chunks: Buffer[] = []
      let length = 0
      try {
        for await (const chunk of answer as AsyncIterable<Buffer>) {
          chunks.push(chunk)
          length += chunk.length
          if (length >= MAX_ANSWER_BYTES) break
        }
      } catch {
        // The status has arrived, and callers that need the body parse it.
      }
      const { statusCode: status = 0, headers } = answer
      return { status, headers, body: Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString() }
    },

    trusting: (address) => createGuard({ ...options, origins: [...origins, new URL(address).origin] }),
  }
}
