import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod/mini'
import { PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'

export interface PaypalAccess {
  readonly clientId: string
  readonly clientSecret: string
  /** Either https://api-m.paypal.com or https://api-m.sandbox.paypal.com */
  readonly baseUrl: string
}

/** Timeout of one attempt, and delay before the single retry. */
export type PaypalPace = Readonly<{ timeoutMs: number; pauseMs: number }>
const PAYPAL_PACE: PaypalPace = { timeoutMs: 10_000, pauseMs: 500 }

/** Thrown when PayPal rejects a request. The message contains the `debug_id` that PayPal's support asks for. */
export class PaypalRefusal extends Error {
  override name = 'PaypalRefusal'
  readonly status: number
  /** PayPal's issue code, such as SUBSCRIPTION_STATUS_INVALID; empty if there is none. */
  readonly issue: string

  constructor(call: string, status: number, issue: string, detail: string) {
    super(`PayPal refused ${call}: HTTP ${status} ${`${issue} ${detail}`.trim().slice(0, 300)}`)
    this.status = status
    this.issue = issue
  }
}

export type PaypalApi = ReturnType<typeof createPaypalApi>

const Token = z.object({ access_token: z.string().check(z.minLength(1)), expires_in: z.number() })
const Fault = z.object({
  name: z.optional(z.string()),
  error: z.optional(z.string()),
  message: z.optional(z.string()),
  debug_id: z.optional(z.string()),
  details: z.optional(z.array(z.object({ issue: z.optional(z.string()), description: z.optional(z.string()) }))),
})

/** Time before a token's expiry at which the token is renewed. */
const RENEW_EARLY_MS = 60_000

type Send = (what: string, path: string, init: RequestInit) => Promise<Answer>

function createTokens({ clientId, clientSecret }: PaypalAccess, send: Send) {
  let token: { readonly value: string; readonly until: number } | undefined
  let renewal: Promise<string> | undefined

  const bearer = async (): Promise<string> => {
    if (token && token.until > performance.now()) return token.value
    renewal ??= requestToken().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  const requestToken = async (): Promise<string> => {
    const answer = await send('POST /v1/oauth2/token', '/v1/oauth2/token', {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
    const { access_token, expires_in } = parseAnswer(Token, answer, 'a token')
    const lifeMs = expires_in * 1000
    token = { value: access_token, until: performance.now() + Math.max(lifeMs - RENEW_EARLY_MS, lifeMs / 2) }
    return access_token
  }

  /** Renews a token that was revoked early, unless a concurrent call has renewed it already. */
  const renew = (revoked: string): Promise<string> => {
    if (token?.value === revoked) token = undefined
    return bearer()
  }

  return { bearer, renew }
}

/**
 * Creates a client for PayPal's REST API: https://developer.paypal.com/api/rest. Retries a call once on no response,
 * 409 or 5xx, which is safe: creates carry an idempotency key, and PayPal rejects repeated state changes.
 * @throws PaymentProviderDown on no response, 409, 429 or 5xx  @throws PaypalRefusal on any other 4xx
 */
export function createPaypalApi(access: PaypalAccess, pace: PaypalPace = PAYPAL_PACE) {
  const send = async (what: string, path: string, init: RequestInit, isRetry = false): Promise<Answer> => {
    let fault: PaymentProviderDown
    try {
      const signal = AbortSignal.timeout(pace.timeoutMs)
      const answer = await fetch(new URL(path, access.baseUrl), { ...init, redirect: 'error', signal })
      const { status } = answer
      const text = await answer.text()
      if (status < 500 && status !== 409 && status !== 429) return { status, text }
      fault = new PaymentProviderDown(`PayPal is unavailable for ${what}: HTTP ${status}`)
      if (status === 429) throw fault
    } catch (error) {
      if (error instanceof PaymentProviderDown) throw error
      const { message, cause } = error as Error
      const reason = cause instanceof Error ? `${message}: ${cause.message}` : message
      fault = new PaymentProviderDown(`PayPal does not answer ${what}: ${reason}`)
    }
    if (isRetry) throw fault
    await delay(pace.pauseMs)
    return send(what, path, init, true)
  }

  const { bearer, renew } = createTokens(access, send)

  const call = async <S extends z.ZodMiniType>(method: string, path: string, schema: S, init: RequestInit = {}) => {
    const what = `${method} ${path.split('?')[0]}`
    const attempt = (token: string) =>
      send(what, path, {
        method,
        ...init,
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          Prefer: 'return=representation',
          ...init.headers,
        },
      })
    const used = await bearer()
    let answer = await attempt(used)
    if (answer.status === 401) answer = await attempt(await renew(used))
    return parseAnswer(schema, answer, what)
  }

  return {
    /** Returns the response body, validated against `schema`. */
    get: <S extends z.ZodMiniType>(path: string, schema: S) => call('GET', path, schema),
    /**
     * @param body an object, or its JSON text
     * @param requestId idempotency key of a create, which PayPal stores for 72 hours
     */
    post: <S extends z.ZodMiniType>(path: string, schema: S, body: object | string, requestId?: string) =>
      call('POST', path, schema, {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: requestId ? { 'PayPal-Request-Id': requestId } : {},
      }),
  }
}

type Answer = Readonly<{ status: number; text: string }>

/** @throws PaymentProviderDown if the response does not match the schema  @throws PaypalRefusal */
function parseAnswer<S extends z.ZodMiniType>(schema: S, { status, text }: Answer, what: string): z.output<S> {
  let body: unknown
  try {
    body = text === '' ? undefined : JSON.parse(text)
  } catch {
    if (status < 400) throw new PaymentProviderDown(`PayPal's answer to ${what} is not JSON (HTTP ${status})`)
  }
  if (status >= 400) throw refusal(what, status, body)
  const parsed = z.safeParse(schema, body)
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map(({ path }) => path.join('.')).join(', ')
  throw new PaymentProviderDown(`PayPal's answer to ${what} has invalid fields: ${fields}`)
}

function refusal(what: string, status: number, body: unknown): PaypalRefusal {
  const { data: fault = {} } = z.safeParse(Fault, body)
  const { issue, description } = fault.details?.[0] ?? {}
  const detail = [description ?? fault.message, fault.debug_id && `(${fault.debug_id})`].filter(Boolean).join(' ')
  return new PaypalRefusal(what, status, issue ?? fault.name ?? fault.error ?? '', detail)
}
