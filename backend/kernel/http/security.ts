import type { Middleware } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../eventsourcing/uuid7.ts'
import type { Clock } from '../time.ts'
import { NO_PAGE_POLICY } from './pagePolicy.ts'

const TWO_YEARS_S = 2 * 365 * 24 * 3600

/** Headers of every response; pages override the content security policy. */
const HEADERS = new Map([
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Content-Security-Policy', NO_PAGE_POLICY],
])

/**
 * Middleware that assigns the request id and sets security headers. Event ids derive from the request id, so clients
 * cannot choose it. `X-Correlation-Id` is accepted if it is a UUID and ignored otherwise.
 */
export const requestHeaders = (publicUrl: () => string): Middleware => {
  return async (ctx, next) => {
    const requestId = uuid7()
    const given = ctx.get('X-Correlation-Id')
    const correlationId = isUuid(given) ? given : requestId
    Object.assign(ctx.state, { requestId, correlationId })
    ctx.res.setHeaders(HEADERS)
    ctx.res.setHeader('X-Request-Id', requestId).setHeader('X-Correlation-Id', correlationId)
    // Omits includeSubDomains, because subdomains may belong to other parties.
    if (publicUrl().startsWith('https://')) ctx.set('Strict-Transport-Security', `max-age=${TWO_YEARS_S}`)
    await next()
  }
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Rejects cross-site requests with unsafe methods, to prevent CSRF. Requests with neither `Origin` nor `Sec-Fetch-Site` pass:
 * browsers send at least one of them. @throws Rejection cross_site
 * @example app.use(sameSiteOnly(() => 'https://kinora.example'))
 */
export const sameSiteOnly =
  (publicUrl: () => string): Middleware =>
  async (ctx, next) => {
    const origin = ctx.get('Origin')
    const foreign =
      (origin !== '' && origin !== new URL(publicUrl()).origin) || ctx.get('Sec-Fetch-Site') === 'cross-site'
    if (!SAFE.has(ctx.method) && foreign) throw new Rejection('cross_site', 'This request came from another site.')
    await next()
  }

const WINDOW_MS = 60_000

/**
 * Creates a rate limiter that counts requests per key in fixed one-minute windows.
 * @throws Rejection too_many_requests, with `retryAfter` in seconds
 * @example const limit = createRateLimit(60); limit(userId)
 */
export function createRateLimit(perMinute: number, clock: Clock = Date.now): (key: string) => void {
  let windowEnds = 0
  const counts = new Map<string, number>()
  return (key) => {
    if (clock() >= windowEnds) {
      counts.clear()
      windowEnds = clock() + WINDOW_MS
    }
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (count > perMinute)
      throw new Rejection('too_many_requests', 'Too many requests. Please wait a moment.', {
        retryAfter: Math.ceil((windowEnds - clock()) / 1000),
      })
  }
}
