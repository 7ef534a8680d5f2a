import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** Returns a new secret: the prefix and 32 bytes in base64. */
export const makeSecret = (): string => PREFIX + randomBytes(32).toString('base64')

const signatureOf = (secret: string, signed: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(signed)
    .digest('base64')}`

/**
 * Returns the headers of a webhook (Standard Webhooks 1.0.0).
 * @param secrets one, or two during a rotation
 * @param at time of the attempt, in epoch ms
 * @example signedHeaders(['whsec_…'], 'msg_1', Date.now(), '{}')
 */
export function signedHeaders(secrets: readonly string[], id: string, at: number, body: string) {
  const timestamp = String(Math.floor(at / 1_000))
  const signed = `${id}.${timestamp}.${body}`
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(secret, signed)).join(' '),
  }
}
