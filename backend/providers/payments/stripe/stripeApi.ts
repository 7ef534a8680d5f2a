import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod/mini'
import { PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'

/** The version that the shapes are of. Webhook endpoints must have it too. */
export const STRIPE_VERSION = '2026-10-28.endive'

export interface StripeAccess {
  /** A secret or restricted key: `sk_…` or `rk_…`. */
  readonly secretKey: string
  /** https://api.stripe.com, or the address of a double. */
  readonly baseUrl: string
}

/** Timeout of one attempt, and delay before the single retry. */
export type StripePace = Readonly<{ timeoutMs: number; pauseMs: number }>
const STRIPE_PACE: StripePace = { timeoutMs: 20_000, pauseMs: 500 }

/** Thrown when Stripe rejects a request. The message contains the request id that Stripe's support asks for. */
export class StripeRefusal extends Error {
  override name = 'StripeRefusal'
  readonly status: number
  /** Stripe's error code, such as `resource_missing`, or else the error's type; empty if there is none. */
  readonly code: string

  constructor(call: string, status: number, code: string, detail: string) {
    super(`Stripe refused ${call}: HTTP ${status} ${`${code} ${detail}`.trim().slice(0, 300)}`)
    this.status = status
    this.code = code
  }
}

type Value = string | number | boolean | undefined | readonly Value[] | { readonly [name: string]: Value }
/** Parameters of a request. Undefined ones are left out, and an empty text unsets a field. */
export type Params = Readonly<Record<string, Value>>

/** Encodes parameters as a form: `{ a: { b: [1] } }` becomes `a[b][0]=1`. */
export function formOf(params: Params): URLSearchParams {
  const form = new URLSearchParams()
  const add = (name: string, value: Value): void => {
    if (typeof value === 'object') for (const [key, each] of Object.entries(value)) add(`${name}[${key}]`, each)
    else if (value !== undefined) form.append(name, String(value))
  }
  for (const [name, value] of Object.entries(params)) add(name, value)
  return form
}

const Fault = z.object({
  error: z.object({
    type: z.optional(z.string()),
    code: z.optional(z.string()),
    message: z.optional(z.string()),
  }),
})

export type StripeApi = ReturnType<typeof createStripeApi>
type Answer = Readonly<{ status: number; text: string; headers: Headers }>

/**
 * Sends a request, again once on no response, 409 or 5xx, or as `Stripe-Should-Retry` says.
 * @throws PaymentProviderDown on no response, 409, 429 or 5xx
 */
async function send(what: string, url: URL, init: RequestInit, pace: StripePace, isRetry = false): Promise<Answer> {
  let fault: PaymentProviderDown
  let shouldRetry = true
  try {
    const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(pace.timeoutMs) })
    const { status, headers } = answer
    const text = await answer.text()
    const advice = headers.get('stripe-should-retry')
    const isDown = status >= 500 || status === 409 || status === 429
    if (!isDown && (advice !== 'true' || isRetry)) return { status, text, headers }
    shouldRetry = advice === null ? status !== 429 : advice === 'true'
    fault = new PaymentProviderDown(`Stripe is unavailable for ${what}: HTTP ${status}`)
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? `${message}: ${cause.message}` : message
    fault = new PaymentProviderDown(`Stripe does not answer ${what}: ${reason}`)
  }
  if (isRetry || !shouldRetry) throw fault
  await delay(pace.pauseMs)
  return send(what, url, init, pace, true)
}

/** @throws PaymentProviderDown the answer does not match the schema  @throws StripeRefusal */
function parseAnswer<S extends z.ZodMiniType>(schema: S, { status, text, headers }: Answer, what: string) {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    if (status < 400) throw new PaymentProviderDown(`Stripe's answer to ${what} is not JSON (HTTP ${status})`)
  }
  if (status >= 400) {
    const { error: { type, code = type ?? '', message = '' } = {} } = z.safeParse(Fault, body).data ?? {}
    throw new StripeRefusal(what, status, code, `${message} (${headers.get('request-id')})`)
  }
  const parsed = z.safeParse(schema, body)
  if (parsed.success) return { data: parsed.data, isReplayed: headers.get('idempotent-replayed') === 'true' }
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
  throw new PaymentProviderDown(`Stripe's answer to ${what} has invalid fields: ${fields}`)
}

/**
 * Creates a client for Stripe's API v1: https://docs.stripe.com/api. Each call can be retried: creates carry an idempotency
 * key, and repeated changes change nothing.
 * @throws PaymentProviderDown on no response, 409, 429 or 5xx  @throws StripeRefusal on any other 4xx
 */
export function createStripeApi({ secretKey, baseUrl }: StripeAccess, pace: StripePace = STRIPE_PACE) {
  const call = async <S extends z.ZodMiniType>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    schema: S,
    params: Params = {},
    key?: string,
  ) => {
    const what = `${method} ${path}`
    const url = new URL(path, baseUrl)
    const form = formOf(params)
    if (method !== 'POST') url.search = form.toString()
    const headers = { Authorization: `Bearer ${secretKey}`, 'Stripe-Version': STRIPE_VERSION }
    const answer = await send(
      what,
      url,
      {
        method,
        headers: key ? { ...headers, 'Idempotency-Key': key } : headers,
        ...(method === 'POST' && { body: form }),
      },
      pace,
    )
    // Stripe repeats a part of a wrong key in its message.
    return parseAnswer(schema, { ...answer, text: answer.text.replaceAll(secretKey, '…') }, what)
  }

  const get = async <S extends z.ZodMiniType>(path: string, schema: S, params?: Params) =>
    (await call('GET', path, schema, params)).data

  return {
    /** Returns an object, validated against `schema`. */
    get,
    /** Changes an object. */
    post: async <S extends z.ZodMiniType>(path: string, schema: S, params: Params) =>
      (await call('POST', path, schema, params)).data,
    /**
     * Creates an object. `isReplayed`: the answer is that of an earlier call with the same key, so its object may have changed.
     * @param key idempotency key of at most 255 characters, which Stripe stores for at least 24 hours
     */
    create: <S extends z.ZodMiniType>(path: string, schema: S, params: Params, key: string) =>
      call('POST', path, schema, params, key),
    delete: async <S extends z.ZodMiniType>(path: string, schema: S, params: Params) =>
      (await call('DELETE', path, schema, params)).data,
    /** Returns all pages of a list, newest first. */
    async list<S extends z.ZodMiniType<{ readonly id: string }>>(path: string, schema: S, params: Params) {
      const Page = z.object({ data: z.array(schema), has_more: z.boolean() })
      const all: z.output<S>[] = []
      for (;;) {
        const { data, has_more } = await get(path, Page, { ...params, limit: 100, starting_after: all.at(-1)?.id })
        all.push(...data)
        if (!has_more || data.length === 0) return all
      }
    },
  }
}

/** Returns undefined for an object that Stripe does not know, or does not show to this key. */
export const known = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error) => {
    if (error instanceof StripeRefusal && ([403, 404].includes(error.status) || error.code === 'resource_missing'))
      return undefined
    throw error
  })

/** Reads charges with the fees that Stripe took; without them, if the key may not read the seller's balance. */
export const withFees = <T>(read: (fees: '' | '.balance_transaction') => Promise<T>): Promise<T> =>
  read('.balance_transaction').catch((error) => {
    if (error instanceof StripeRefusal && error.status === 403) return read('')
    throw error
  })
