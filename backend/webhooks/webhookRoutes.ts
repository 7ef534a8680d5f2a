import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { type Guard, RefusedAddress } from '../kernel/http/outgoing/guardedRequest.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import { must } from '../kernel/must.ts'
import type { MessageRow, Outbox } from '../kernel/outbox/outbox.ts'
import type { Clock } from '../kernel/time.ts'
import { EVENT_TYPES, type page, type programs, type WebhookDelivery, type WebhookEndpoint } from './contract.ts'
import { type WebhookChannel, webhookId } from './webhookChannel.ts'
import type { EndpointRow, WebhookEndpoints } from './webhookEndpoints.ts'

export interface WebhookRoutes {
  readonly endpoints: WebhookEndpoints
  readonly outbox: Outbox
  readonly channel: Pick<WebhookChannel, 'post'>
  readonly guard: Pick<Guard, 'check'>
  readonly clock: Clock
  readonly take: (kind: string, subject: string, limit: { burst: number; everyMs: number }) => Promise<void>
}

/** Tests that a user may send. */
const TESTS = { burst: 10, everyMs: 6_000 }
/** Id of the video and the plan in a test. */
const NOWHERE = '00000000-0000-0000-0000-000000000000'

const seconds = (time: Date) => Math.floor(time.getTime() / 1_000)
const secondsOrNull = (time: Date | null) => time && seconds(time)

const endpointView = (row: EndpointRow): WebhookEndpoint => ({
  id: row.id,
  object: 'webhook_endpoint',
  name: row.name,
  url: row.url,
  event_types: row.event_types,
  created_at: seconds(row.created_at),
  updated_at: seconds(row.updated_at),
  signing_secret_hint: row.hint,
  enabled: row.disabled_because === null,
  disabled_because: row.disabled_because,
  failing_since: secondsOrNull(row.failing_since),
})

const deliveryView = (row: MessageRow): WebhookDelivery => ({
  id: webhookId(row.id),
  object: 'webhook_delivery',
  event_type: row.about,
  created_at: seconds(row.created_at),
  status: row.state,
  attempts: row.attempts,
  last_attempt_at: secondsOrNull(row.tried_at),
  next_attempt_at: secondsOrNull(row.due_at),
  status_code: row.status,
  duration_ms: row.took_ms,
  answer: row.answer,
  fault: row.fault as WebhookDelivery['fault'],
})

/** Serves the addresses that receive webhooks, to programs or to the page of the account. */
export function serveWebhooks(serve: Serve, contract: typeof programs | typeof page, routes: WebhookRoutes): void {
  const { endpoints, guard } = routes
  /** Returns an address as it will be requested. @throws ValidationError */
  const checked = (address: string): string => {
    try {
      const url = guard.check(address)
      if (url.hash === '') return url.href
    } catch (error) {
      if (!(error instanceof RefusedAddress)) throw error
    }
    throw new ValidationError([{ path: 'url', code: 'address_refused' }])
  }
  // Both declarations have the same shapes.
  const calls = contract as typeof programs

  serve(calls.types, () => ({ object: 'list' as const, data: [...EVENT_TYPES] }))

  serve(calls.list, async ({ userId, query: { after, limit } }) => {
    const rows = await endpoints.list(userId)
    const first = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && first === 0)
      throw new Rejection('invalid_value', 'There is no webhook endpoint with this id any more.', { param: 'after' })
    const data = rows.slice(first, first + limit).map(endpointView)
    const has_more = rows.length > first + limit
    return { object: 'list' as const, data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more }
  })

  serve(calls.create, async ({ userId, body }) => {
    const { row, secret } = await endpoints.create(userId, { ...body, url: checked(body.url) })
    return { ...endpointView(row), signing_secret: secret }
  })

  serve(calls.read, async ({ userId, params }) => endpointView(await endpoints.read(userId, params.id)))

  serve(calls.update, async ({ userId, params, body }) => {
    const change = body.url === undefined ? body : { ...body, url: checked(body.url) }
    return endpointView(await endpoints.update(userId, params.id, change))
  })

  serve(calls.remove, async ({ userId, params: { id } }) => {
    await endpoints.remove(userId, id)
    return { id, object: 'webhook_endpoint.deleted' as const, deleted: true }
  })

  serve(calls.rotate, async ({ userId, params, body }) => {
    const { row, secret } = await endpoints.rotate(userId, params.id, body.keep_old_secret_active_for_24_hours)
    return { ...endpointView(row), signing_secret: secret }
  })

  serveDeliveries(serve, calls, routes)
}

/** Serves what was sent to an endpoint, and sends it again. */
function serveDeliveries(
  serve: Serve,
  calls: typeof programs,
  { endpoints, outbox, channel, clock, take }: WebhookRoutes,
): void {
  /** Returns an endpoint that is on. @throws Rejection not_found, endpoint_off */
  const enabled = async (userId: string, id: string) => {
    const endpoint = await endpoints.read(userId, id)
    if (endpoint.disabled_because === null) return endpoint
    throw new Rejection('endpoint_off', 'This webhook endpoint is switched off. Switch it on first.')
  }

  serve(calls.test, async ({ userId, params, body: { event_type } }) => {
    const { id: target } = await endpoints.read(userId, params.id)
    await take('webhook test', userId, TESTS)
    const id = uuid7(clock())
    const data = event_type === 'ping' ? { test: true } : { id: NOWHERE, test: true }
    const body = JSON.stringify({ type: event_type, timestamp: new Date(clock()).toISOString(), data })
    const endpoint = must(await endpoints.open(target), 'endpoint')
    const startedAt = clock()
    const attempt = await channel.post(endpoint, { id, body })
    await outbox.keep({ id, userId, channel: 'webhook', target, about: event_type, body }, attempt, clock() - startedAt)
    const delivery = await outbox.find(target, id)
    if (attempt.status === undefined || !delivery)
      throw new Rejection('endpoint_unreachable', `The endpoint did not answer: ${attempt.fault}.`)
    const view = deliveryView(delivery)
    return {
      object: 'webhook_endpoint.test' as const,
      event_type,
      success: true as const,
      status_code: attempt.status,
      delivery: view,
    }
  })

  serve(calls.deliveries, async ({ userId, params, query }) => {
    const { id } = await endpoints.read(userId, params.id)
    const { messages, total } = await outbox.list(id, query.page, query.per_page)
    return { deliveries: messages.map(deliveryView), total }
  })

  serve(calls.resend, async ({ userId, params }) => {
    const { id: target } = await enabled(userId, params.id)
    const id = params.delivery.replace(/^msg_/, '')
    const isFound = await outbox.resend(target, { id })
    const row = isFound ? await outbox.find(target, id) : undefined
    if (!row) throw new Rejection('not_found', 'There is no delivery with this id.', { param: 'delivery' })
    return deliveryView(row)
  })

  serve(calls.resendFailed, async ({ userId, params, body }) => {
    const { id } = await enabled(userId, params.id)
    return { sent: await outbox.resend(id, { failedSince: new Date(body.since * 1_000) }) }
  })
}
