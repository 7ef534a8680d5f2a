import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { domainToASCII } from 'node:url'

const require = createRequire(import.meta.url)

/** Domains that ignore dots in the local part: `a.d.a` and `ada` are the same mailbox. */
const DOTLESS = new Set(['gmail.com', 'googlemail.com'])
/** Maps domain aliases to the canonical domain. */
const ALIASES: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' }

/** Reserved domains (RFC 2606, RFC 6761), which receive no email: accepted in development, rejected in production. */
const RESERVED = /(^|\.)(example\.(com|org|net)|test|example|invalid|localhost)$/

const split = (address: string): [local: string, domain: string] => {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1).replace(/\.$/, '')
  return [address.slice(0, at), domainToASCII(domain) || domain]
}

/** Returns the domain of an address, in ASCII (IDNA). */
export const domainOf = (address: string): string => split(address.toLowerCase())[1]

/**
 * Returns the normalized address of a mailbox, in lower case and NFKC, with the domain in ASCII (IDNA). Removes a `+tag` (RFC 5233), which nearly every
 * provider ignores, and dots if the provider ignores them. Each mailbox can have only one account.
 */
export function mailIdentity(address: string): string {
  const [local, domain] = split(address.trim().normalize('NFKC').toLowerCase())
  const tagAt = local.indexOf('+', 1)
  const untagged = tagAt < 0 ? local : local.slice(0, tagAt)
  return `${DOTLESS.has(domain) ? untagged.replaceAll('.', '') : untagged}@${ALIASES[domain] ?? domain}`
}

/** Returns an error code if new accounts cannot use the domain of an address; undefined if they can. */
export function domainFault(address: string, production: boolean): 'email_disposable' | 'invalid_email' | undefined {
  const domain = domainOf(address)
  if (RESERVED.test(domain)) return production ? 'invalid_email' : undefined
  const labels = domain.split('.')
  const parents = labels.slice(0, -1).map((_, from) => labels.slice(from).join('.'))
  return parents.some((parent) => disposable().includes(`"${parent}"`)) ? 'email_disposable' : undefined
}

let list: Buffer | undefined

/**
 * Returns the source of `mailchecker`, which quotes 56,000 domains. Loading it as a module would block the event loop for
 * 30 ms and keep 14 MB; searching it takes 0.2 ms.
 */
function disposable(): Buffer {
  list ??= readFileSync(require.resolve('mailchecker'))
  return list
}
