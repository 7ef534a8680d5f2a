import { type KeyObject, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'

/** The PEM text at an address, the signer's certificate first. Undefined: there is none. @throws it cannot be had now */
export type CertificateSource = (url: URL) => Promise<string | undefined>

/** A key to check signatures with. `isTrusted`: its certificate leads to a root that this machine trusts. */
export type SigningKey = { readonly key: KeyObject; readonly isTrusted: boolean }

const LARGEST = 64 * 1024
const MOST_KEPT = 8

/** Only PayPal's own addresses serve its certificates. */
export function isPaypalAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, port, username, password } = new URL(text)
  return protocol === 'https:' && hostname.endsWith('.paypal.com') && !port && !username && !password
}

/** Redirects are not followed: they could lead to another host. */
export const fetchCertificate: CertificateSource = async (url) => {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(10_000) })
  if (answer.status === 429 || answer.status >= 500) throw new Error(`HTTP ${answer.status}`)
  return answer.ok ? await answer.text() : undefined
}

/**
 * PayPal's certificates, kept once they were fetched. A key is given out while its certificate is valid and made out to
 * PayPal. Node checks neither revocation nor what a certificate may be used for.
 */
export function createCertificates({
  source,
  roots = rootCertificates,
  now = Date.now,
}: {
  readonly source: CertificateSource
  readonly roots?: readonly string[] | undefined
  readonly now?: (() => number) | undefined
}) {
  const kept = new Map<string, X509Certificate[]>()
  let anchors: readonly X509Certificate[] | undefined

  const chainAt = async (url: URL): Promise<X509Certificate[]> => {
    const known = kept.get(url.href)
    if (known) return known
    const chain = parsed((await source(url)) ?? '')
    if (chain.length > 0) kept.set(url.href, chain)
    for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest)
    return chain
  }

  /** Undefined: there is no such certificate, or it is not PayPal's or not valid now. @throws it cannot be had now */
  return async (address: string): Promise<SigningKey | undefined> => {
    if (!isPaypalAddress(address)) return undefined
    const [leaf, ...others] = await chainAt(new URL(address))
    if (!leaf || !isValid(leaf, now()) || !isMadeOutToPaypal(leaf) || leaf.publicKey.asymmetricKeyType !== 'rsa')
      return undefined
    anchors ??= roots.map((pem) => new X509Certificate(pem))
    return { key: leaf.publicKey, isTrusted: leadsTo(anchors, leaf, others, now()) }
  }
}

const isValid = ({ validFromDate, validToDate }: X509Certificate, at: number) =>
  validFromDate.getTime() <= at && at <= validToDate.getTime()

const isMadeOutToPaypal = ({ subject }: X509Certificate) => /^CN=[a-z0-9.-]+\.paypal\.com$/im.test(subject)

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate) =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

function leadsTo(
  anchors: readonly X509Certificate[],
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  at: number,
): boolean {
  const isIssuer = (issuer: X509Certificate) => isValid(issuer, at) && isIssuedBy(certificate, issuer)
  if (anchors.some(isIssuer)) return true
  const between = others.find(isIssuer)
  const left = others.filter((other) => other !== between)
  return between !== undefined && leadsTo(anchors, between, left, at)
}

function parsed(pem: string): X509Certificate[] {
  const blocks = pem.slice(0, LARGEST).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    return []
  }
}
