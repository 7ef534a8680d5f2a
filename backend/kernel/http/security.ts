import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../eventsourcing/uuid7.ts'
import { isLoopback } from '../isLoopback.ts'
import { correlationOf } from '../observability/tracing.ts'
import { bearerOf } from './bearer.ts'
import type { RefuseForeign } from './ownOrigin.ts'
import { NO_PAGE_POLICY } from './site/pagePolicy.ts'

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
    const correlationId = isUuid(given) ? given : (correlationOf(ctx.get('traceparent')) ?? requestId)
    Object.assign(ctx.state, { requestId, correlationId })
    ctx.res.setHeaders(HEADERS)
    ctx.res.setHeader('X-Request-Id', requestId).setHeader('X-Correlation-Id', correlationId)
    // Omits includeSubDomains, because subdomains may belong to other parties.
    if (publicUrl().startsWith('https://')) ctx.set('Strict-Transport-Security', `max-age=${TWO_YEARS_S}`)
    await next()
  }
}

/**
 * Rejects requests that name no address or two hosts (RFC 9112, section 3.2), before anything reads them. An absolute address
 * is replaced by its path, which Koa would read with a parser that throws. @throws Rejection malformed_request
 */
export function refuseMalformedHead(request: IncomingMessage): void {
  const { url = '', headersDistinct } = request
  const address = url.startsWith('/') || url === '*' ? undefined : URL.parse(url)
  if (address === null || (address && !/^https?:$/.test(address.protocol)) || (headersDistinct.host?.length ?? 0) > 1)
    throw new Rejection('malformed_request', 'This is not an HTTP request.')
  if (address) request.url = address.pathname + address.search
}

export const refuseMalformed: Middleware = async ({ req }, next) => {
  refuseMalformedHead(req)
  await next()
}

const MAX_PATH = 2_048

/**
 * Rejects long paths before routes are matched against them, and NUL characters, which Postgres cannot store.
 * @throws Rejection uri_too_long; not_found, invalid_input for a NUL character in the path or the query
 */
export const refuseHostileAddress: Middleware = async (ctx, next) => {
  if (ctx.path.length > MAX_PATH) throw new Rejection('uri_too_long', 'The address is too long.')
  if (ctx.path.includes('%00')) throw new Rejection('not_found', 'There is nothing here.')
  if (ctx.search.includes('%00')) throw new Rejection('invalid_input', 'The query contains a NUL character.')
  await next()
}

/** Warns once if requests pass a proxy while none is trusted, because limits then count all clients as one. */
export function warnAboutProxy(log: Pick<Logger, 'warn'>): Middleware {
  let warned = false
  return async (ctx, next) => {
    if (!warned && ctx.get('X-Forwarded-For')) {
      warned = true
      log.warn({ setting: 'TRUSTED_PROXIES' }, 'request came through an untrusted proxy')
    }
    await next()
  }
}

/**
 * Hides development pages from requests that name another host. A page of that host, which it resolved to this machine
 * (DNS rebinding), could otherwise read every mail. @throws Rejection not_found
 */
export const developmentHostOnly =
  (publicUrl: () => string): Middleware =>
  async (ctx, next) => {
    // As routers match it.
    const isDevelopment = /^\/dev(\/|$)/i.test(ctx.path)
    if (isDevelopment && !isLoopback(ctx.hostname) && ctx.host !== new URL(publicUrl()).host)
      throw new Rejection('not_found', 'There is nothing here.')
    await next()
  }

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Rejects cross-site requests with unsafe methods, to prevent CSRF. Requests with neither `Origin` nor `Sec-Fetch-Site` pass:
 * browsers send at least one of them. So do those with a bearer token, whose cookies were removed. @throws Rejection cross_site
 * @example app.use(sameSiteOnly(refuseForeign(() => 'https://kinora.example', true)))
 */
export const sameSiteOnly =
  (refuse: RefuseForeign): Middleware =>
  async (ctx, next) => {
    if (!SAFE.has(ctx.method) && bearerOf(ctx) === undefined) {
      refuse(ctx.get('Origin'), ctx.get('Host'))
      if (ctx.get('Sec-Fetch-Site') === 'cross-site')
        throw new Rejection('cross_site', 'This request came from another site.')
    }
    await next()
  }
