import Router from '@koa/router'
import type { Middleware } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import type { RateLimit } from '../sharedRateLimit.ts'
import { isForPrograms } from './bearer.ts'
import type { Endpoint } from './contract.ts'
import { type AccessControl, type Serve, serveWith } from './endpoint.ts'

const PROGRAMS_BASE = '/v1'

/** Programs in pages of other sites may call these routes: cookies count for nothing here. */
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, X-Should-Retry',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  // `*` excludes Authorization. OpenAI's client describes itself and its attempts in a dozen headers.
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, *',
  'Access-Control-Max-Age': '86400',
}

/**
 * Returns the middleware that serves programs, in order. It answers every request to their paths, and no other.
 * @param others routers of paths beside `/v1`
 * @param served receives the endpoints, with their whole paths
 */
export function programRoutes(
  access: AccessControl,
  limit: RateLimit,
  register: (serve: Serve) => void,
  others: readonly Router[],
  served: Endpoint[],
): Middleware[] {
  const router = new Router({ prefix: PROGRAMS_BASE, sensitive: true })
  const endpoints: Endpoint[] = []
  register(serveWith(router, access, endpoints))
  served.push(...endpoints.map((endpoint) => ({ ...endpoint, path: PROGRAMS_BASE + endpoint.path })))

  const open: Middleware = async (ctx, next) => {
    if (!isForPrograms(ctx.req.url)) return next()
    ctx.set(CORS)
    if (ctx.method === 'OPTIONS') {
      ctx.set(PREFLIGHT)
      ctx.status = 204
      return
    }
    try {
      await next()
    } finally {
      if (ctx.state.keyId) writeRate(ctx, limit)
    }
  }

  const refuseOthers: Middleware = (ctx, next) => {
    if (!isForPrograms(ctx.req.url)) return next()
    const methods = new Set([router, ...others].flatMap((each) => methodsOf(each, ctx)))
    if (CHANGES.test(ctx.path)) throw new Rejection('not_found', UNCHANGED)
    if (methods.size === 0) throw new Rejection('not_found', 'This is not offered here.')
    ctx.set('Allow', [...methods].join(', '))
    throw new Rejection('method_not_allowed', 'Use one of the methods in the Allow header.')
  }

  return [open, ...[router, ...others].map((each) => each.routes() as Middleware), refuseOthers]
}

const methodsOf = (router: Router, { path, method }: Parameters<Middleware>[0]): string[] =>
  router.match(path, method).path.flatMap((layer) => layer.methods)

/** Paths of changes to a finished video, which no engine makes. Never 501, which clients repeat. */
const CHANGES = /^\/v1\/videos\/(?:(?:characters|edits)(?:\/|$)|[^/]+\/remix$)/
const UNCHANGED =
  'No engine here changes a finished video. Order a new one, or let this one go on: POST /v1/videos/extensions.'

/** Writes the rate of a key's calls: draft-ietf-httpapi-ratelimit-headers-11. */
function writeRate(ctx: Parameters<Middleware>[0], limit: RateLimit): void {
  const { calls, seconds } = limit.left(ctx.state.keyId)
  ctx.set('RateLimit-Policy', `"key";q=${limit.perMinute};w=60`)
  ctx.set('RateLimit', `"key";r=${calls};t=${seconds}`)
}
