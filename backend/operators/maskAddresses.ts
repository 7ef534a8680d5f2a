import { isIP, isIPv6 } from 'node:net'
import type { Context } from 'koa'
import type { Serve } from '../kernel/http/endpoint.ts'
import { coarseNetwork } from '../kernel/http/fairness/networkAddress.ts'

const WORD = /[^\s<>()[\]",;:/]+/g
const IPV4 = /(?:\d{1,3}\.){3}\d{1,3}(?:\/\d{1,3})?/g
const IPV6 = /[\da-f:.]+(?:\/\d{1,3})?/gi
/** Punctuation of the text around an address, as in `from ip:2001:db8::1: refused.` */
const AROUND = /^:(?!:)|(?<!:):$|\.$/g

function maskMail(word: string): string {
  const at = word.lastIndexOf('@')
  const [name, domain] = [[...word.slice(0, Math.max(at, 0))], [...word.slice(at + 1)]]
  if (name.length === 0 || domain.length === 0) return word
  const dot = domain.lastIndexOf('.')
  return `${name[0]}•••@${domain[0]}•••${dot > 0 ? domain.slice(dot).join('') : ''}`
}

/** Widens an address to the network that is shown of older visits. Networks of that size and timestamps are kept. */
function maskIp(found: string): string {
  const [text = '', length] = found.split('/')
  const ip = text.replace(AROUND, '')
  const isWide = Number(length) <= (isIPv6(ip) ? 48 : 24)
  return isIP(ip) === 0 || isWide ? found : text.replace(ip, coarseNetwork({ ip })!)
}

/**
 * Shortens the mail and network addresses of a text.
 * @example maskText('alice@example.com from 203.0.113.9') // 'a•••@e•••.com from 203.0.113.0/24'
 */
export const maskText = (text: string): string =>
  text.replace(WORD, maskMail).replace(IPV4, maskIp).replace(IPV6, maskIp)

/**
 * Returns a `serve` that masks the addresses in every answer, wherever they are in it, unless `mayShow` allows them. The
 * answer then has `masked: true` (docs/decisions/0062-masked-board.md). Files are not masked: their routes require the step-up.
 */
export const serveMasked =
  (serve: Serve, mayShow: (ctx: Context) => Promise<boolean>): Serve =>
  (endpoint, handler) =>
    serve(endpoint, async (call) => {
      const answer = await handler(call)
      const plain = JSON.stringify(answer)
      if (plain === undefined) return answer
      const masked = JSON.parse(plain, (_, value) => (typeof value === 'string' ? maskText(value) : value))
      const isPlain = JSON.stringify(masked) === plain
      return isPlain || (await mayShow(call.ctx)) ? answer : { ...masked, masked: true }
    })
