import { type Guard, RefusedAddress } from '../kernel/http/outgoing/guardedRequest.ts'
import type { Attempt, Claimed } from '../kernel/outbox/outbox.ts'
import type { Channel } from '../kernel/outbox/runOutbox.ts'
import type { Clock } from '../kernel/time.ts'
import { signedHeaders } from './signature.ts'
import type { EndpointRow, WebhookEndpoints } from './webhookEndpoints.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Times from one attempt to the next: 75.6 hours in all. */
const WAITS_MS = [
  ...[5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS],
  ...[10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS],
]
const MAX_JITTER = 0.1
const TIMEOUT_MS = 15_000
/** Longest `Retry-After` that is obeyed. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS
/** Answers of an endpoint that has too much to do. The others of its webhooks wait with the one that it refused. */
const BUSY: readonly number[] = [429, 502, 503, 504]
const BUSY_MS = 5_000
const MAX_ANSWER = 1_024

/** Which mail about an endpoint its owner gets. */
type Notice = 'webhookFailing' | 'webhookOff' | 'webhookGone'

interface ChannelOptions {
  readonly endpoints: Pick<WebhookEndpoints, 'open' | 'succeeded' | 'failed' | 'gone'>
  readonly guard: Pick<Guard, 'send'>
  readonly clock: Clock
  readonly mail: (endpoint: EndpointRow, notice: Notice) => Promise<void>
}

/** The header `webhook-id` of a message. */
export const webhookId = (messageId: string): string => `msg_${messageId}`

/** Returns the wait that an answer asks for, ms. @example retryAfterMs('120', Date.now()) // 120000 */
export function retryAfterMs(header: string | undefined, at: number): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - at
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms))
}

function faultOf(error: unknown): string {
  if (error instanceof RefusedAddress) return 'address'
  return error instanceof Error && error.name === 'AbortError' ? 'timeout' : 'connection'
}

export type WebhookChannel = ReturnType<typeof createWebhookChannel>

/** Creates what sends webhooks. See docs/decisions/0074-one-outbox.md. */
export function createWebhookChannel({ endpoints, guard, clock, mail }: ChannelOptions) {
  /** Makes an attempt, signed with the secrets and the time of now. */
  async function post(
    { url, secrets }: Pick<EndpointRow, 'url'> & { readonly secrets: readonly string[] },
    { id, body }: Pick<Claimed, 'id' | 'body'>,
  ): Promise<Attempt> {
    // Its key was lost.
    if (secrets.length === 0) return { outcome: 'refused', fault: 'internal' }
    try {
      const headers = signedHeaders(secrets, webhookId(id), clock(), body)
      const sent = await guard.send(url, { method: 'POST', headers, body, timeoutMs: TIMEOUT_MS })
      const { status } = sent
      // Postgres stores no zero bytes.
      const answer = sent.body.slice(0, MAX_ANSWER).replaceAll('\0', '')
      if (status >= 200 && status < 300) return { outcome: 'sent', status, answer }
      if (status === 410) return { outcome: 'refused', status, answer }
      const asked = retryAfterMs(sent.headers['retry-after'], clock())
      const isBusy = BUSY.includes(status)
      const waitMs = asked ?? (isBusy ? BUSY_MS : 0)
      return { outcome: 'failed', status, answer, waitMs, pausesTarget: isBusy || asked !== undefined }
    } catch (error) {
      return { outcome: 'failed', fault: faultOf(error) }
    }
  }

  const send = async (message: Claimed): Promise<Attempt> => {
    const endpoint = await endpoints.open(message.target)
    if (!endpoint || endpoint.disabled_because !== null) return { outcome: 'refused' }
    const result = await post(endpoint, message)
    if (result.outcome === 'sent') await endpoints.succeeded(endpoint.id)
    else if (result.status === 410) {
      if (await endpoints.gone(endpoint)) await mail(endpoint, 'webhookGone')
    } else {
      const change = await endpoints.failed(endpoint.id)
      if (change) await mail(endpoint, change === 'off' ? 'webhookOff' : 'webhookFailing')
      if (change === 'off') return { ...result, outcome: 'refused' }
    }
    return result
  }

  return {
    post,
    send,
    wait: (attempts) => {
      const ms = WAITS_MS[attempts - 1]
      return ms === undefined ? undefined : ms * (1 + Math.random() * MAX_JITTER)
    },
  } satisfies Channel & { post: typeof post }
}
