import * as z from 'zod/mini'
import { endpoint, paging } from '../kernel/http/contract.ts'
import { typedLine } from '../kernel/text/typedText.contract.ts'

/** What programs can be told. `ping` is only sent as a test. */
export const EVENT_TYPES = [
  'video.completed',
  'video.failed',
  'credits.low',
  'subscription.renewed',
  'subscription.ended',
] as const
const TEST_TYPES = [...EVENT_TYPES, 'ping'] as const
export type EventType = (typeof EVENT_TYPES)[number]

export const MAX_ENDPOINTS = 5

const Name = typedLine(60)
const Address = z.string('required').check(z.trim(), z.minLength(1, 'required'), z.maxLength(2_000, 'too_long'))
const Types = z.array(z.enum(EVENT_TYPES, 'invalid_choice')).check(
  z.minLength(1, 'required'),
  z.overwrite((types) => [...new Set(types)]),
)

export const WebhookEndpoint = z.object({
  id: z.string(),
  object: z.literal('webhook_endpoint'),
  name: z.string(),
  url: z.string(),
  event_types: z.array(z.enum(EVENT_TYPES)),
  /** Whole seconds since 1970. */
  created_at: z.number(),
  updated_at: z.number(),
  /** The last characters of the secret, without the `=` that ends each. */
  signing_secret_hint: z.string(),
  enabled: z.boolean(),
  /** Why it is off: its owner switched it off, it answered 410, or every attempt of five days failed. */
  disabled_because: z.nullable(z.enum(['owner', 'gone', 'failing'])),
  /** Since when every attempt has failed, in seconds since 1970. */
  failing_since: z.nullable(z.number()),
})
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>

const WithSecret = z.extend(WebhookEndpoint, {
  /** `whsec_` and 32 bytes in base64, which are shown once. */
  signing_secret: z.string(),
})

export const WebhookOrder = z.object({ name: Name, url: Address, event_types: Types })
export type WebhookOrder = z.output<typeof WebhookOrder>

export const WebhookChange = z.object({
  name: z.optional(Name),
  url: z.optional(Address),
  event_types: z.optional(Types),
  enabled: z.optional(z.boolean('invalid')),
})
export type WebhookChange = z.output<typeof WebhookChange>

export const WebhookDelivery = z.object({
  /** The header `webhook-id`, the same in every attempt. */
  id: z.string(),
  object: z.literal('webhook_delivery'),
  event_type: z.string(),
  created_at: z.number(),
  status: z.enum(['waiting', 'sent', 'failed']),
  attempts: z.number(),
  /** In seconds since 1970. */
  last_attempt_at: z.nullable(z.number()),
  next_attempt_at: z.nullable(z.number()),
  /** Of the last attempt: status, time and the first kilobyte of the answer. */
  status_code: z.nullable(z.number()),
  duration_ms: z.nullable(z.number()),
  answer: z.nullable(z.string()),
  /** Why there was no answer. */
  fault: z.nullable(z.enum(['address', 'timeout', 'connection', 'internal'])),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

const callerOf = <const Caller extends 'user' | 'key'>(access: Caller) =>
  access === 'key' ? ({ access, scope: 'webhooks:write' } as const) : { access }

function declareDeliveries<const Caller extends 'user' | 'key'>(access: Caller) {
  const caller = callerOf(access)
  return {
    test: endpoint('POST /webhook_endpoints/:id/test', {
      ...caller,
      body: z.object({ event_type: z._default(z.enum(TEST_TYPES, 'invalid_choice'), 'ping') }),
      answer: z.object({
        object: z.literal('webhook_endpoint.test'),
        event_type: z.enum(TEST_TYPES),
        success: z.literal(true),
        status_code: z.number(),
        delivery: WebhookDelivery,
      }),
      refuses: ['endpoint_unreachable', 'too_many_requests'],
      summary: 'Sends a test now, and returns the status of the answer',
    }),
    deliveries: endpoint('GET /webhook_endpoints/:id/deliveries', {
      ...caller,
      query: z.object(paging(20)),
      answer: z.object({ deliveries: z.array(WebhookDelivery), total: z.number() }),
      summary: 'What was sent to an address in the last 30 days, newest first',
    }),
    resend: endpoint('POST /webhook_endpoints/:id/deliveries/:delivery/send', {
      ...caller,
      status: 202,
      answer: WebhookDelivery,
      refuses: ['endpoint_off'],
      summary: 'Sends a webhook again, with the same id',
    }),
    resendFailed: endpoint('POST /webhook_endpoints/:id/send_failed', {
      ...caller,
      body: z.object({
        /** Seconds since 1970. */
        since: z.number('required').check(z.gte(0, 'invalid'), z.lte(253_402_300_799, 'invalid')),
      }),
      status: 202,
      answer: z.object({ sent: z.number() }),
      refuses: ['endpoint_off'],
      summary: 'Sends again all webhooks that failed since a time',
    }),
  }
}

/** Declares the calls for one kind of caller: programs at `/v1`, the account's page at `/api/v1`. */
function declare<const Caller extends 'user' | 'key'>(access: Caller) {
  const caller = callerOf(access)
  return {
    ...declareDeliveries(access),
    list: endpoint('GET /webhook_endpoints', {
      ...caller,
      query: z.object({
        after: z.optional(z.string().check(z.maxLength(100, 'too_long'))),
        limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(100)), 20),
      }),
      answer: z.object({
        object: z.literal('list'),
        data: z.array(WebhookEndpoint),
        first_id: z.nullable(z.string()),
        last_id: z.nullable(z.string()),
        has_more: z.boolean(),
      }),
      refuses: ['invalid_value'],
      summary: 'Lists the addresses that receive webhooks, newest first',
    }),
    create: endpoint('POST /webhook_endpoints', {
      ...caller,
      body: WebhookOrder,
      answer: WithSecret,
      refuses: ['too_many_endpoints'],
      summary: 'Adds an address that receives webhooks. Its signing secret is shown once',
    }),
    read: endpoint('GET /webhook_endpoints/:id', {
      ...caller,
      answer: WebhookEndpoint,
      summary: 'An address that receives webhooks',
    }),
    update: endpoint('POST /webhook_endpoints/:id', {
      ...caller,
      body: WebhookChange,
      answer: WebhookEndpoint,
      summary: 'Changes an address that receives webhooks, or switches it on or off',
    }),
    remove: endpoint('DELETE /webhook_endpoints/:id', {
      ...caller,
      answer: z.object({ id: z.string(), object: z.literal('webhook_endpoint.deleted'), deleted: z.boolean() }),
      summary: 'Deletes an address that receives webhooks, with its deliveries',
    }),
    rotate: endpoint('POST /webhook_endpoints/:id/rotate_secret', {
      ...caller,
      body: z.object({ keep_old_secret_active_for_24_hours: z._default(z.boolean('invalid'), false) }),
      answer: WithSecret,
      summary: 'Makes a new signing secret. For 24 hours, webhooks can be signed with the former one, too',
    }),
    types: endpoint('GET /webhook_event_types', {
      ...caller,
      answer: z.object({ object: z.literal('list'), data: z.array(z.string()) }),
      summary: 'The types of events that can be received',
    }),
  }
}

export const programs = declare('key')
export const page = declare('user')
