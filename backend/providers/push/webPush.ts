import { createECDH } from 'node:crypto'
import type { PushSender } from '#backend/accounts/notices/pushSender.port.ts'
import type { Guard } from '#backend/kernel/http/outgoing/guardedRequest.ts'

export interface WebPushOptions {
  /** Private key (RFC 8292), 32 bytes. */
  readonly key: Buffer
  /** Contact of the operator: a `mailto:` or https address. */
  readonly contact: () => string
  readonly guard: Pick<Guard, 'check' | 'send'>
}

/** A message that cannot be delivered for so long is dropped, in seconds. */
const TTL_SECONDS = 12 * 3600
const TIMEOUT_MS = 10_000
/** The subscription has ended (RFC 8030), or belongs to another key. */
const GONE: readonly number[] = [403, 404, 410]

/** Creates the sender of Web Push messages. The guard decides which addresses it may reach. */
export function createWebPush({ key, contact, guard }: WebPushOptions): PushSender {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(key)
  const publicKey = pair.getPublicKey().toString('base64url')
  const privateKey = key.toString('base64url')

  return {
    publicKey,
    checkEndpoint: guard.check,
    async send(subscription, message) {
      const { default: webPush } = await import('web-push')
      const vapidDetails = { subject: contact(), publicKey, privateKey }
      const details = sealed(() =>
        webPush.generateRequestDetails(subscription, JSON.stringify(message), { vapidDetails, TTL: TTL_SECONDS }),
      )
      if (!details) return 'gone'
      const { method, headers, body } = details
      const { status } = await guard.send(subscription.endpoint, { method, headers, body, timeoutMs: TIMEOUT_MS })
      if (GONE.includes(status)) return 'gone'
      if (status >= 200 && status < 300) return 'sent'
      throw new Error(`The push service answered ${status}`)
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
