import { createHash, createHmac, createPublicKey, type JsonWebKey, timingSafeEqual, verify } from 'node:crypto'

/** Accepted difference between a webhook's time and ours, seconds. */
const TOLERANCE_S = 300
const MAX_KEYS = 20

export interface SignedWebhook {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** Seconds since 1970. */
  readonly now: number
}

const header = ({ headers }: SignedWebhook, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

const isRecent = (timestamp: string, now: number) =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp)) <= TOLERANCE_S

/** Verifies fal's Ed25519 signature with any key of its key set. See fal.ai/docs, "webhooks". */
export function verifyFalWebhook(webhook: SignedWebhook, keys: readonly JsonWebKey[]): boolean {
  const [id, user, timestamp, signature] = ['request-id', 'user-id', 'timestamp', 'signature'].map((name) =>
    header(webhook, `x-fal-webhook-${name}`),
  ) as [string, string, string, string]
  if (!id || !isRecent(timestamp, webhook.now) || !/^[0-9a-f]{128}$/i.test(signature)) return false
  const digest = createHash('sha256').update(webhook.body).digest('hex')
  const message = Buffer.from(`${id}\n${user}\n${timestamp}\n${digest}`)
  return keys
    .filter(({ kty, crv }) => kty === 'OKP' && crv === 'Ed25519')
    .slice(0, MAX_KEYS)
    .some((key) => isSigned(message, signature, key))
}

function isSigned(message: Buffer, signature: string, key: JsonWebKey): boolean {
  try {
    return verify(null, message, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'hex'))
  } catch {
    return false
  }
}

/** Verifies a signature of the Standard Webhooks specification. @param secret `whsec_` and the key in base64 */
export function verifyStandardWebhook(webhook: SignedWebhook, secret: string): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    header(webhook, `webhook-${name}`),
  ) as [string, string, string]
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (!id || key.length === 0 || !isRecent(timestamp, webhook.now)) return false
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(webhook.body).digest()
  return signatures.split(' ').some((entry) => {
    const given = Buffer.from(entry.startsWith('v1,') ? entry.slice(3) : '', 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
