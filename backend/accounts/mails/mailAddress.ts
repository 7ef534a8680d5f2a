import mailChecker from 'mailchecker'

/** Hosts that read `a.d.a` as `ada`; by other names they are one host. */
const DOTLESS = new Set(['gmail.com', 'googlemail.com'])
const ONE_HOST: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' }

/** Domains that stand for no real host (RFC 2606, RFC 6761): welcome where things are tried out, undeliverable elsewhere. */
const RESERVED = /(^|\.)(example\.(com|org|net)|test|example|invalid|localhost)$/

const halves = (address: string): [local: string, domain: string] => {
  const at = address.lastIndexOf('@')
  return [address.slice(0, at), address.slice(at + 1).replace(/\.$/, '')]
}

/**
 * The mailbox behind an address, so that one person is one account: in lower case and NFKC, without a tag behind a plus
 * (RFC 5233; nearly every host delivers those to one mailbox), without dots where the host ignores them.
 */
export function mailIdentity(address: string): string {
  const [local, domain] = halves(address.trim().normalize('NFKC').toLowerCase())
  const untagged = local.replace(/(?<=.)\+.*$/, '')
  return `${DOTLESS.has(domain) ? untagged.replaceAll('.', '') : untagged}@${ONE_HOST[domain] ?? domain}`
}

/** What is wrong with an address's domain for a new account, as a rule's code. */
export function domainFault(address: string, production: boolean): 'email_disposable' | 'invalid_email' | undefined {
  const [, domain] = halves(address.toLowerCase())
  if (RESERVED.test(domain)) return production ? 'invalid_email' : undefined
  const labels = domain.split('.')
  const parents = labels.slice(0, -1).map((_, from) => labels.slice(from).join('.'))
  return parents.some((parent) => mailChecker.blacklist().has(parent)) ? 'email_disposable' : undefined
}
