import { createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Computes a signature over the same fields as PayPal: id, time, recipient and checksum of the body. */
const signatureOf = (secret: string, id: string, time: string, body: Buffer): Buffer =>
  createHmac('sha256', secret)
    .update(`${id}|${time}|sandbox|${crc32(body)}`)
    .digest()

/** Returns a webhook's headers, named as PayPal names them, with a signature made from this installation's secret. */
export const signWebhook = (secret: string, id: string, time: string, body: Buffer): Record<string, string> => ({
  'content-type': 'application/json',
  'paypal-transmission-id': id,
  'paypal-transmission-time': time,
  'paypal-transmission-sig': signatureOf(secret, id, time, body).toString('base64'),
  'paypal-auth-algo': 'HMAC-SHA256',
})

export function isSigned(secret: string, headers: Readonly<Record<string, string | undefined>>, body: Buffer): boolean {
  const { 'paypal-transmission-id': id = '', 'paypal-transmission-time': time = '' } = headers
  const actual = Buffer.from(headers['paypal-transmission-sig'] ?? '', 'base64')
  const expected = signatureOf(secret, id, time, body)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
