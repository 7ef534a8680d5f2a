import Router from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import type { Logger } from 'pino'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { openApi } from '../kernel/http/apiDocs/openapi.ts'
import { type Described, postmanCollection } from '../kernel/http/apiDocs/postman.ts'
import { apiDocs } from '../kernel/http/apiDocs.ts'
import { type KeyCaller, withoutCookies } from '../kernel/http/bearer.ts'
import { API_BASE, type Endpoint } from '../kernel/http/contract.ts'
import { createCspReports } from '../kernel/http/cspReports.ts'
import { type AccessControl, type Serve, serveWith } from '../kernel/http/endpoint.ts'
import type { RefuseForeign } from '../kernel/http/ownOrigin.ts'
import type { OwnWrites } from '../kernel/http/ownWrites.ts'
import { problemDetails } from '../kernel/http/problemDetails.ts'
import { programRoutes } from '../kernel/http/programRoutes.ts'
import { rememberMatches } from '../kernel/http/rememberMatches.ts'
import {
  developmentHostOnly,
  refuseHostileAddress,
  refuseMalformed,
  requestHeaders,
  sameSiteOnly,
  warnAboutProxy,
} from '../kernel/http/security.ts'
import { accessLog, traceRequests } from '../kernel/observability/accessLog.ts'
import type { Metrics } from '../kernel/observability/metrics.ts'
import type { RateLimit } from '../kernel/sharedRateLimit.ts'

export interface HttpApp {
  readonly log: Logger
  readonly metrics: Metrics
  /** Reports requests that block the event loop. */
  readonly watchEventLoop: Middleware
  /** Limits what one client can take from others. */
  readonly admit: Middleware
  readonly publicUrl: () => string
  readonly refuseForeign: RefuseForeign
  /** Number of reverse proxies whose X-Forwarded-For entries are trusted. */
  readonly trustedProxies: number
  readonly identity: {
    /** Returns the id of the signed-in user. */
    readonly authenticate: (ctx: Context) => Promise<string | undefined>
    readonly operatorOf: AccessControl['operatorOf']
    /** Returns the API key of a request. */
    readonly authenticateKey: (ctx: Context) => Promise<KeyCaller | undefined>
    /** Refuses a suspended account. */
    readonly assertActive: (userId: string) => Promise<void>
  }
  /** Limits the calls of each user, and of each API key. */
  readonly limits: Readonly<{ users: RateLimit; keys: RateLimit }>
  readonly ownWrites: OwnWrites
  /** Registers the JSON API. */
  readonly api: (serve: Serve) => void
  /** Registers the routes for programs. */
  readonly programs: (serve: Serve) => void
  /** Routers for programs beside `/v1`. */
  readonly programRouters: (access: AccessControl) => readonly Router[]
  /** Webhooks, which receive cross-origin requests and authenticate the sender of each. */
  readonly webhooks: readonly Router[]
  /** Health, metrics and development pages. */
  readonly pages: readonly Router[]
  /** Guards, redirects and files of the built site, in order. */
  readonly site: readonly Middleware[]
}

/** Builds the Koa application. Reads no environment and opens no socket. */
export function createHttpApp({
  log,
  metrics,
  watchEventLoop,
  admit,
  publicUrl,
  refuseForeign,
  trustedProxies,
  identity,
  limits,
  ownWrites,
  ...routes
}: HttpApp): Koa {
  // X-Forwarded-For is ignored, except for the entries that trusted proxies added.
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies })
  const api = new Router({ prefix: API_BASE, sensitive: true })
  const served: Endpoint[] = []
  const limit = (userId: string, key?: KeyCaller) => {
    if (key) limits.keys.take(key.id)
    limits.users.take(userId)
  }
  const access = { ...identity, limit, shown: ownWrites.shown }
  routes.api(serveWith(api, access, served))
  // Making them takes 25 ms.
  let description: { readonly url: string; readonly openapi: string; readonly postman: string } | undefined
  const describe = (as: 'openapi' | 'postman') => (ctx: Context) => {
    const url = publicUrl()
    if (description?.url !== url) {
      const described = openApi(served, url)
      const postman = postmanCollection(described as unknown as Described, url)
      description = { url, openapi: JSON.stringify(described), postman: JSON.stringify(postman, null, 2) }
    }
    ctx.type = 'json'
    ctx.body = description[as]
    if (as === 'postman') ctx.attachment('kinora.postman_collection.json')
  }
  api.get('/openapi.json', describe('openapi'))
  api.get('/postman.json', describe('postman'))
  const programs = programRoutes(access, limits.keys, routes.programs, routes.programRouters(access), served)
  rememberMatches(api)

  app.use(watchEventLoop)
  app.use(requestHeaders(publicUrl))
  app.use(traceRequests)
  app.use(accessLog(log, metrics))
  app.use(problemDetails(log))
  app.use(refuseMalformed)
  app.use(withoutCookies)
  app.use(admit)
  app.use(refuseHostileAddress)
  app.use(developmentHostOnly(publicUrl))
  if (trustedProxies === 0) app.use(warnAboutProxy(log))
  for (const webhook of routes.webhooks) app.use(webhook.routes())
  for (const middleware of programs) app.use(middleware)
  app.use(createCspReports(log).receive)
  app.use(sameSiteOnly(refuseForeign))
  app.use(api.routes())
  app.use(rejectOtherMethods(api))
  for (const page of [...routes.pages, apiDocs()]) app.use(page.routes())
  for (const middleware of routes.site) app.use(middleware)
  app.use(() => {
    throw new Rejection('not_found', 'There is nothing here.')
  })
  // `problemDetails` handles thrown errors. These occur while a response is sent, usually because the client left.
  app.on('error', (error: Error, { socket, state }: Context) => {
    const line = { err: error, requestId: state.requestId }
    log[socket.destroyed ? 'debug' : 'error'](line, 'response aborted')
  })
  return app
}

/** Rejects unsupported methods of known paths and lists the supported ones. */
function rejectOtherMethods(api: Router): Middleware {
  return async (ctx, next) => {
    const known = api.match(ctx.path, ctx.method).path
    if (known.length === 0) return next()
    ctx.set('Allow', [...new Set(known.flatMap(({ methods }) => methods))].join(', '))
    throw new Rejection('method_not_allowed', 'Use one of the methods in the Allow header.')
  }
}
