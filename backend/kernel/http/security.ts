import type { Middleware } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../eventsourcing/uuid7.ts'
import { NO_PAGE_POLICY } from './pagePolicy.ts'

const TWO_YEARS_S = 2 * 365 * 24 * 3600

/** What every answer carries. Pages put a policy of their own in place of the one that allows nothing. */
const HEADERS = new Map([
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Content-Security-Policy', NO_PAGE_POLICY],
])

/**
 * Names the request, and sets the headers that every answer carries. The request's id is ours: ids of events derive from it.
 * A caller may say by `X-Correlation-Id` what the request belongs to, as a UUID; anything else is passed over.
 */
export const baseline = (publicUrl: () => string): Middleware => {
  return async (ctx, next) => {
    const requestId = uuid7()
    const said = ctx.get('X-Correlation-Id')
    const correlationId = isUuid(said) ? said : requestId
    Object.assign(ctx.state, { requestId, correlationId })
    ctx.res.setHeaders(HEADERS)
    ctx.res.setHeader('X-Request-Id', requestId).setHeader('X-Correlation-Id', correlationId)
    // Sub-domains may be somebody else's: they are not promised.
    if (publicUrl().startsWith('https://')) ctx.set('Strict-Transport-Security', `max-age=${TWO_YEARS_S}`)
    await next()
  }
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Refuses unsafe calls that a page of another site has sent. Programs send neither header and are let through. */
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

/** Lets a user make so many calls a minute. */
export function createRateLimit(perMinute: number, now: () => number = Date.now): (userId: string) => void {
  let windowEnds = 0
  const counts = new Map<string, number>()
  return (userId) => {
    if (now() >= windowEnds) {
      counts.clear()
      windowEnds = now() + WINDOW_MS
    }
    const count = (counts.get(userId) ?? 0) + 1
    counts.set(userId, count)
    if (count > perMinute)
      throw new Rejection('too_many_requests', 'Too many requests. Please wait a moment.', {
        retryAfter: Math.ceil((windowEnds - now()) / 1000),
      })
  }
}
