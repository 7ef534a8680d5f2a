import mailChecker from 'mailchecker'

/** Hosts that ignore dots: they deliver `a.d.a` to `ada`. */
const DOTLESS = new Set(['gmail.com', 'googlemail.com'])
/** Aliases of a mail host. */
const ALIASES: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' }

/** Domains without a real host (RFC 2606, RFC 6761): accepted in development, undeliverable in production. */
const RESERVED = /(^|\.)(example\.(com|org|net)|test|example|invalid|localhost)$/

const split = (address: string): [local: string, domain: string] => {
  const at = address.lastIndexOf('@')
  return [address.slice(0, at), address.slice(at + 1).replace(/\.$/, '')]
}

/**
 * Returns the mailbox that an address delivers to, in lower case and NFKC. Drops a `+tag` (RFC 5233), which nearly every
 * host ignores, and dots where the host ignores them. Each mailbox can have one account.
 */
export function mailIdentity(address: string): string {
  const [local, domain] = split(address.trim().normalize('NFKC').toLowerCase())
  const untagged = local.replace(/(?<=.)\+.*$/, '')
  return `${DOTLESS.has(domain) ? untagged.replaceAll('.', '') : untagged}@${ALIASES[domain] ?? domain}`
}

/** Returns why new accounts cannot use the domain of an address, as an error code; undefined if they can. */
export function domainFault(address: string, production: boolean): 'email_disposable' | 'invalid_email' | undefined {
  const [, domain] = split(address.toLowerCase())
  if (RESERVED.test(domain)) return production ? 'invalid_email' : undefined
  const labels = domain.split('.')
  const parents = labels.slice(0, -1).map((_, from) => labels.slice(from).join('.'))
  return parents.some((parent) => mailChecker.blacklist().has(parent)) ? 'email_disposable' : undefined
}
