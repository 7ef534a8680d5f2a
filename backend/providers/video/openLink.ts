import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress, PrivateAddress, publicLookup } from '#backend/kernel/http/outgoing/publicLookup.ts'

export interface LinkAccess {
  /**
   * Address of the engine from the configuration. Only links to the same origin may lead to a private address, do
   * without TLS, and carry `headers`.
   */
  readonly engine?: string | undefined
  /** Headers for the engine, such as its API key. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal: AbortSignal
  readonly lookup?: LookupFunction | undefined
}

/** The link leads to an address that a provider's answer must not make this server open. */
export class UnsafeLink extends Error {
  override name = 'UnsafeLink'
}

const MAX_REDIRECTS = 5
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

/**
 * Requests a link from a provider's answer. Follows redirects, and checks each address.
 * @param offset first byte to request
 * @throws UnsafeLink if an address is neither public nor of the engine
 */
export async function openLink(link: string, access: LinkAccess, offset = 0): Promise<IncomingMessage> {
  let url = parse(link)
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await get(url, access, offset)
    const { location } = response.headers
    if (!location || !REDIRECTS.includes(response.statusCode)) return response
    response.destroy()
    url = parse(location, url)
  }
  throw new Error('The link redirects too often')
}

function parse(link: string, base?: URL): URL {
  const url = URL.parse(link, base)
  if (!url) throw new UnsafeLink('The link is not an address')
  return url
}

function get(url: URL, { engine, headers, signal, lookup }: LinkAccess, offset: number): Promise<IncomingMessage> {
  const isEngine = engine !== undefined && url.origin === new URL(engine).origin
  if (!isEngine) checkPublic(url)
  const options = {
    headers: { ...(isEngine ? headers : {}), ...(offset > 0 ? { Range: `bytes=${offset}-` } : {}) },
    // A connection of its own, because a kept-alive one was not necessarily checked.
    agent: false,
    signal,
    ...(isEngine ? {} : { lookup: lookup ?? publicLookup() }),
  } as const
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, resolve)
    request.on('error', (error) =>
      reject(error instanceof PrivateAddress ? new UnsafeLink(error.message, { cause: error }) : error),
    )
    request.end()
  })
}

/** Checks an address from a provider's answer; names are checked when they are resolved. @throws UnsafeLink */
export function checkPublic({ protocol, hostname }: URL): void {
  if (protocol !== 'https:') throw new UnsafeLink(`A link to ${hostname} is not https`)
  const address = hostname.replace(/^\[|\]$/g, '')
  // Sockets call `lookup` for names only.
  if (isIP(address) && !isPublicAddress(address)) throw new UnsafeLink(`${hostname} is not a public address`)
}
