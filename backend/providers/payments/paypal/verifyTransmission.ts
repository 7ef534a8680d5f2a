import { type KeyObject, verify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import * as z from 'zod/mini'
import type { Clock } from '#backend/kernel/time.ts'
import { createTokenBucket } from '#backend/kernel/tokenBucket.ts'
import { PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'
import { isTimely } from '../isTimely.ts'
import { type createCertificates, isCertificateUrl } from './certificates.ts'
import { type PaypalApi, PaypalRefusal } from './paypalApi.ts'

const Verified = z.object({ verification_status: z.string() })

type Headers = Readonly<Record<string, string | undefined>>

type Transmission = NonNullable<ReturnType<typeof transmissionOf>>

/** Limit of signatures that PayPal is asked to verify, because anyone can send a webhook. */
const QUESTIONS = { burst: 20, everyMs: 3_000 }

/**
 * Creates a function that verifies a webhook's signature:
 * https://developer.paypal.com/api/rest/webhooks/rest/#link-selfverificationmethod. It asks PayPal to verify the
 * signature if the certificate is unavailable or does not chain to a trusted root. Returns the id of the transmission, or
 * undefined if it is not PayPal's or too old.
 * @throws PaymentProviderDown if neither check is currently possible
 */
export function createTransmissionCheck(
  api: PaypalApi,
  webhookId: string,
  certificates: ReturnType<typeof createCertificates>,
  now: Clock = Date.now,
) {
  const mayAsk = createTokenBucket(QUESTIONS, now)
  return async (headers: Headers, body: Buffer): Promise<string | undefined> => {
    const transmission = transmissionOf(headers)
    if (!transmission || !isTimely(transmission.time, now())) return undefined
    const key = await certificates(transmission.certUrl).catch(() => 'unavailable' as const)
    if (key === undefined) return undefined
    if (key !== 'unavailable') {
      if (!isSigned(key.key, webhookId, transmission, body)) return undefined
      if (key.isTrusted) return transmission.id
    }
    if (!mayAsk()) throw new PaymentProviderDown('Too many signatures to verify')
    return (await isVerifiedByPaypal(api, webhookId, transmission, body)) ? transmission.id : undefined
  }
}

/** Returns the signature headers; undefined if one is missing, too long or unsupported. */
function transmissionOf(headers: Headers) {
  const header = (name: string) => {
    const value = headers[`paypal-${name}`]
    return typeof value === 'string' && value.length > 0 && value.length <= 2_000 ? value : undefined
  }
  const [id, time, signature] = [header('transmission-id'), header('transmission-time'), header('transmission-sig')]
  const [certUrl, algorithm] = [header('cert-url'), header('auth-algo')]
  if (!id || !time || !signature || !certUrl || algorithm !== 'SHA256withRSA') return undefined
  return isCertificateUrl(certUrl) ? { id, time, signature, certUrl, algorithm } : undefined
}

function isSigned(key: KeyObject, webhookId: string, { id, time, signature }: Transmission, body: Buffer): boolean {
  const message = `${id}|${time}|${webhookId}|${crc32(body)}`
  return verify('RSA-SHA256', Buffer.from(message), key, Buffer.from(signature, 'base64'))
}

/** Sends the event's original text, because the signature covers its exact bytes. */
async function isVerifiedByPaypal(api: PaypalApi, webhookId: string, transmission: Transmission, body: Buffer) {
  const event = body.toString('utf8')
  try {
    JSON.parse(event)
  } catch {
    return false
  }
  const { id, time, signature, certUrl, algorithm } = transmission
  const transmitted = { transmission_id: id, transmission_sig: signature, transmission_time: time }
  const fields = JSON.stringify({ auth_algo: algorithm, cert_url: certUrl, ...transmitted, webhook_id: webhookId })
  const path = '/v1/notifications/verify-webhook-signature'
  try {
    const body = `${fields.slice(0, -1)},"webhook_event":${event}}`
    return (await api.post(path, Verified, body)).verification_status === 'SUCCESS'
  } catch (error) {
    // PayPal cannot have sent a transmission that it rejects as malformed.
    if (error instanceof PaypalRefusal && (error.status === 400 || error.status === 422)) return false
    throw error
  }
}
