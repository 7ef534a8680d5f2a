import { createECDH } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { PushSender } from '#backend/accounts/notices/pushSender.port.ts'
import { publicLookup } from '#backend/kernel/http/outgoing/publicLookup.ts'

export interface WebPushOptions {
  /** Private key (RFC 8292), 32 bytes. */
  readonly key: Buffer
  /** Contact of the operator: a `mailto:` or https address. */
  readonly contact: () => string
  readonly request?: typeof httpsRequest | undefined
  readonly lookup?: LookupFunction | undefined
}

/** A message that cannot be delivered for so long is dropped, in seconds. */
const TTL_SECONDS = 12 * 3600
const TIMEOUT_MS = 10_000
/** The subscription has ended (RFC 8030), or belongs to another key. */
const GONE: readonly (number | undefined)[] = [403, 404, 410]

/** Creates the sender of Web Push messages. It connects to public addresses only, and follows no redirect. */
export function createWebPush({ key, contact, request = httpsRequest, lookup }: WebPushOptions): PushSender {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(key)
  const publicKey = pair.getPublicKey().toString('base64url')
  const privateKey = key.toString('base64url')

  return {
    publicKey,
    async send(subscription, message) {
      const { default: webPush } = await import('web-push')
      const vapidDetails = { subject: contact(), publicKey, privateKey }
      const details = sealed(() =>
        webPush.generateRequestDetails(subscription, JSON.stringify(message), { vapidDetails, TTL: TTL_SECONDS }),
      )
      if (!details) return 'gone'
      const { method, headers, body } = details
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      const options = { method, headers, lookup: lookup ?? publicLookup(), agent: false } as const
      request(subscription.endpoint, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) }, resolve)
        .on('error', reject)
        .end(body)
      const response = await promise
      response.resume()
      const { statusCode = 0 } = response
      if (GONE.includes(statusCode)) return 'gone'
      if (statusCode >= 200 && statusCode < 300) return 'sent'
      throw new Error(`The push service answered ${statusCode}`)
    },
  }
}

/** Returns undefined for a subscription with a key that is no point of the curve. */
function sealed<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
