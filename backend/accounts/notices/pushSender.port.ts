import type { PushSubscription } from './notices.contract.ts'

export interface PushMessage {
  readonly title: string
  readonly body: string
  /** Path that a click opens. */
  readonly path: string
  /** Replaces an earlier message with the same tag. */
  readonly tag: string
}

export interface PushSender {
  /** VAPID public key, base64url. */
  readonly publicKey: string
  /** @throws RefusedAddress the endpoint of a subscription must not receive messages */
  checkEndpoint(endpoint: string): URL
  /** `gone`: the subscription has ended, or will never take a message. @throws Error the push service cannot be reached */
  send(subscription: PushSubscription, message: PushMessage): Promise<'sent' | 'gone'>
}
