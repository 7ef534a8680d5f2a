import { createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

type Headers = Readonly<Record<string, string | undefined>>

/** What a webhook's signature is made of, as at PayPal: its id, its time, whom it is for, and its body. */
const signed = (secret: string, id: string, time: string, body: Buffer): Buffer =>
  createHmac('sha256', secret)
    .update(`${id}|${time}|sandbox|${crc32(body)}`)
    .digest()

/** The headers of a webhook, named as PayPal's. Signed with a secret of this installation. */
export function signWebhook(secret: string, id: string, time: string, body: Buffer): Record<string, string> {
  return {
    'content-type': 'application/json',
    'paypal-transmission-id': id,
    'paypal-transmission-time': time,
    'paypal-transmission-sig': signed(secret, id, time, body).toString('base64'),
    'paypal-auth-algo': 'HMAC-SHA256',
  }
}

export function isSigned(secret: string, headers: Headers, body: Buffer): boolean {
  const [id, time, signature] = ['id', 'time', 'sig'].map((name) => headers[`paypal-transmission-${name}`] ?? '')
  const given = Buffer.from(signature!, 'base64')
  const expected = signed(secret, id!, time!, body)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** An event as PayPal words it. */
export const webhookBody = (id: string, type: string, resource: object, at: string): string =>
  JSON.stringify({ id, event_type: type, create_time: at, resource_version: '2.0', resource })
