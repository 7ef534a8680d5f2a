import { type KeyObject, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import type { Clock } from '#backend/kernel/time.ts'
import { createTokenBucket } from '#backend/kernel/tokenBucket.ts'

/** Fetches a PEM chain, leaf first; undefined if there is none. @throws Error if it is temporarily unavailable */
export type CertificateSource = (url: URL) => Promise<string | undefined>

/** A verification key. `isTrusted` is true if its certificate chains to a trusted root. */
export type SigningKey = { readonly key: KeyObject; readonly isTrusted: boolean }

const MAX_PEM_LENGTH = 64 * 1024
const MAX_CACHED = 8
/** Time for which a missing, malformed or unavailable certificate is not fetched again, ms. */
const FAILURE_MS = 60_000
/** Limit of fetches. A forged webhook can name any number of certificates. */
const FETCHES = { burst: 10, everyMs: 10_000 }

/** PayPal's API hosts and the path under which they publish signing certificates. */
const CERTIFICATE_URL = /^https:\/\/api(-m)?(\.sandbox)?\.paypal\.com\/v1\/notifications\/certs\/[\w-]{1,128}$/

/** Returns whether a text is the URL of one of PayPal's signing certificates. */
export const isCertificateUrl = (text: string): boolean => CERTIFICATE_URL.test(text)

/** Does not follow redirects, because they could lead to another host. */
export const fetchCertificate: CertificateSource = async (url) => {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(10_000) })
  if (answer.status === 429 || answer.status >= 500) throw new Error(`HTTP ${answer.status}`)
  return answer.ok ? await readStart(answer.body) : undefined
}

/** Reads a text up to {@link MAX_PEM_LENGTH} and drops the rest. */
async function readStart(body: Response['body']): Promise<string> {
  let text = ''
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.length > MAX_PEM_LENGTH) break
  }
  return text
}

/**
 * Creates a function that fetches, checks and caches PayPal's signing certificates. Each call checks the validity
 * period and the subject, but not revocation or key usage.
 */
export function createCertificates(source: CertificateSource, roots = rootCertificates, now: Clock = Date.now) {
  const cache = new Map<string, X509Certificate[]>()
  const failures = new Map<string, { at: number; error: unknown }>()
  const mayFetch = createTokenBucket(FETCHES, now)
  let anchors: readonly X509Certificate[] | undefined

  const chainAt = async (address: string): Promise<X509Certificate[]> => {
    const cached = cache.get(address)
    if (cached) return cached
    const failure = failures.get(address)
    // A failure of the future is one from before the clock was set back.
    if (failure && failure.at <= now() && now() < failure.at + FAILURE_MS) {
      if (failure.error) throw failure.error
      return []
    }
    if (!mayFetch()) throw new Error('Too many unknown certificates')
    const failed = (error?: unknown) => remember(failures, address, { at: now(), error })
    const pem = await source(new URL(address)).catch((error) => {
      failed(error)
      throw error
    })
    const chain = parsePem(pem ?? '')
    if (chain.length > 0) remember(cache, address, chain)
    else failed()
    return chain
  }

  /** Returns undefined if the certificate is missing, expired or not PayPal's. @throws Error if it is unavailable */
  return async (address: string): Promise<SigningKey | undefined> => {
    if (!isCertificateUrl(address)) return undefined
    const [leaf, ...others] = await chainAt(address)
    if (!leaf || !isValid(leaf, now()) || !isIssuedToPaypal(leaf) || leaf.publicKey.asymmetricKeyType !== 'rsa')
      return undefined
    anchors ??= roots.map((pem) => new X509Certificate(pem))
    return { key: leaf.publicKey, isTrusted: chainsTo(anchors, leaf, others, now()) }
  }
}

/** Adds an entry and removes the oldest ones beyond {@link MAX_CACHED}. */
function remember<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.set(key, value)
  for (const oldest of entries.keys()) if (entries.size > MAX_CACHED) entries.delete(oldest)
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
