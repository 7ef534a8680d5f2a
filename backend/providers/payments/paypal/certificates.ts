import { type KeyObject, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import type { Clock } from '#backend/kernel/time.ts'

/** Fetches a PEM chain, leaf first; undefined if there is none. @throws Error if it is temporarily unavailable */
export type CertificateSource = (url: URL) => Promise<string | undefined>

/** A verification key. `isTrusted` is true if its certificate chains to a trusted root. */
export type SigningKey = { readonly key: KeyObject; readonly isTrusted: boolean }

const MAX_PEM_LENGTH = 64 * 1024
const MAX_CACHED = 8

/** Returns whether a text is an HTTPS URL on one of PayPal's hosts. */
export function isPaypalAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, port, username, password } = new URL(text)
  return protocol === 'https:' && hostname.endsWith('.paypal.com') && !port && !username && !password
}

/** Does not follow redirects, because they could lead to another host. */
export const fetchCertificate: CertificateSource = async (url) => {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(10_000) })
  if (answer.status === 429 || answer.status >= 500) throw new Error(`HTTP ${answer.status}`)
  return answer.ok ? await answer.text() : undefined
}

/**
 * Creates a function that fetches, checks and caches PayPal's signing certificates. Each call checks the validity
 * period and the subject, but not revocation or key usage.
 */
export function createCertificates(source: CertificateSource, roots = rootCertificates, now: Clock = Date.now) {
  const cache = new Map<string, X509Certificate[]>()
  let anchors: readonly X509Certificate[] | undefined

  const chainAt = async (url: URL): Promise<X509Certificate[]> => {
    const cached = cache.get(url.href)
    if (cached) return cached
    const chain = parsePem((await source(url)) ?? '')
    if (chain.length > 0) cache.set(url.href, chain)
    for (const oldest of cache.keys()) if (cache.size > MAX_CACHED) cache.delete(oldest)
    return chain
  }

  /** Returns undefined if the certificate is missing, expired or not PayPal's. @throws Error if it is unavailable */
  return async (address: string): Promise<SigningKey | undefined> => {
    if (!isPaypalAddress(address)) return undefined
    const [leaf, ...others] = await chainAt(new URL(address))
    if (!leaf || !isValid(leaf, now()) || !isIssuedToPaypal(leaf) || leaf.publicKey.asymmetricKeyType !== 'rsa')
      return undefined
    anchors ??= roots.map((pem) => new X509Certificate(pem))
    return { key: leaf.publicKey, isTrusted: chainsTo(anchors, leaf, others, now()) }
  }
}

const isValid = ({ validFromDate, validToDate }: X509Certificate, at: number) =>
  validFromDate.getTime() <= at && at <= validToDate.getTime()

const isIssuedToPaypal = ({ subject }: X509Certificate) => /^CN=[a-z0-9.-]+\.paypal\.com$/im.test(subject)

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate) =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

function chainsTo(
  anchors: readonly X509Certificate[],
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  at: number,
): boolean {
  const isIssuer = (issuer: X509Certificate) => isValid(issuer, at) && isIssuedBy(certificate, issuer)
  if (anchors.some(isIssuer)) return true
  const intermediate = others.find(isIssuer)
  const rest = others.filter((other) => other !== intermediate)
  return intermediate !== undefined && chainsTo(anchors, intermediate, rest, at)
}

function parsePem(pem: string): X509Certificate[] {
  const blocks = pem.slice(0, MAX_PEM_LENGTH).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    return []
  }
}
