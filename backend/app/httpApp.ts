import Router from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import type { Logger } from 'pino'
import { serveAccounts } from '../accounts/routes.ts'
import { networkAddress } from '../accounts/sessions/networkAddress.ts'
import { pageGuard } from '../accounts/sessions/pageGuard.ts'
import { type SettingsRoutes, serveSettings } from '../accounts/settingsRoutes.ts'
import { type AnalyticsRoutes, serveAnalytics } from '../analytics/routes.ts'
import { serveCredits } from '../credits/routes.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { apiDocs } from '../kernel/http/apiDocs.ts'
import { clockRoutes } from '../kernel/http/clockRoutes.ts'
import { API_BASE, type Endpoint, status } from '../kernel/http/contract.ts'
import { createCspReports } from '../kernel/http/cspReports.ts'
import { serveWith } from '../kernel/http/endpoint.ts'
import { openApi } from '../kernel/http/openapi.ts'
import { problemDetails } from '../kernel/http/problemDetails.ts'
import { redirects } from '../kernel/http/redirects.ts'
import { baseline, createRateLimit, sameSiteOnly } from '../kernel/http/security.ts'
import { serveSite } from '../kernel/http/staticSite.ts'
import { accessLog } from '../kernel/observability/accessLog.ts'
import type { Metrics } from '../kernel/observability/metrics.ts'
import { type BoardRoutes, serveBoard } from '../operators/boardRoutes.ts'
import { type BusinessRoutes, serveBusiness } from '../operators/businessRoutes.ts'
import { isOperatorOf, type OperatorRoutes, operatorGuard, serveOperator } from '../operators/operatorRoutes.ts'
import { serveTables, type TableRoutes } from '../operators/tableRoutes.ts'
import type { Mailbox } from '../providers/mail/mailbox.ts'
import { mailboxRoutes } from '../providers/mail/mailboxRoutes.ts'
import { sandboxRoutes } from '../providers/payments/sandbox/sandboxRoutes.ts'
import type { SandboxState } from '../providers/payments/sandbox/sandboxState.ts'
import { type CallbackRoutes, callbackRoutes } from '../providers/video/minimax/callbackRoutes.ts'
import { type SubscriptionRoutes, serveSubscriptions } from '../subscriptions/routes.ts'
import { type WebhookRoutes, webhookRoutes } from '../subscriptions/webhookRoutes.ts'
import { type MediaRoutes, serveMedia } from '../tasks/mediaRoutes.ts'
import { serveTasks, type TaskRoutes } from '../tasks/routes.ts'

export interface AppPorts
  extends SettingsRoutes,
    SubscriptionRoutes,
    TaskRoutes,
    MediaRoutes,
    CallbackRoutes,
    WebhookRoutes,
    Omit<AnalyticsRoutes, 'visitor'>,
    BoardRoutes,
    BusinessRoutes,
    TableRoutes,
    Omit<OperatorRoutes, 'placeOf'> {
  readonly log: Logger
  readonly publicUrl: () => string
  /** Folder of the built site; left out, only the API is served. */
  readonly site: string | undefined
  /** Only in development. */
  readonly mailbox: Mailbox | undefined
  /** Settles when no mail is on its way to the mailbox. */
  readonly mailDelivered: () => Promise<void>
  /** Only in development, and only where nobody is really billed. */
  readonly sandboxState: SandboxState | undefined
  /** Only in development. */
  readonly advanceClock: ((ms: number) => Promise<number>) | undefined
  /** `/healthz`, `/readyz` and `/metrics`. */
  readonly health: Router
  readonly metrics: Metrics
  readonly trustedProxies: number
  readonly demoRenderer: boolean
  readonly supportEmail: string
}

const CALLS_PER_MINUTE = 1_200

/** The whole HTTP side. Reads no environment and opens no socket. */
export function createApp(ports: AppPorts): Koa {
  // With none, X-Forwarded-For is anybody's word; with some, only what they added counts.
  const app = new Koa({ proxy: ports.trustedProxies > 0, maxIpsCount: ports.trustedProxies })
  const api = new Router({ prefix: API_BASE })

  const served: Endpoint[] = []
  const authenticate = async (ctx: Context) =>
    (await ports.sessions.authenticate(ports.cookies.session(ctx).access))?.userId
  const isOperator = isOperatorOf(ports)
  const serve = serveWith(api, { authenticate, isOperator, limit: createRateLimit(CALLS_PER_MINUTE) }, served)
  serveAccounts(serve, ports)
  serveSettings(serve, ports)
  serveSubscriptions(serve, ports)
  serveCredits(serve, ports)
  serveTasks(serve, ports)
  serveMedia(serve, ports)
  serveAnalytics(serve, { ...ports, visitor: authenticate, now: ports.calendar })
  serveOperator(serve, { ...ports, placeOf: networkAddress })
  serveBoard(serve, { ...ports, now: ports.calendar })
  serveBusiness(serve, ports)
  serveTables(serve, { ...ports, now: ports.calendar })
  serve(status, () => ({ demo_renderer: ports.demoRenderer, support_email: ports.supportEmail }))
  api.get('/openapi.json', (ctx) => {
    ctx.body = openApi(served, ports.publicUrl())
  })

  app.use(baseline(ports.publicUrl))
  app.use(accessLog(ports.log, ports.metrics))
  app.use(problemDetails(ports.log))
  // Whoever calls these comes from elsewhere: each proves itself in its own way.
  app.use(callbackRoutes(ports).routes())
  app.use(webhookRoutes(ports).routes())
  app.use(createCspReports(ports.log).receive)
  app.use(sameSiteOnly(ports.publicUrl))
  app.use(api.routes())
  app.use(otherMethods(api))
  app.use(ports.health.routes())
  app.use(apiDocs().routes())
  if (ports.mailbox) app.use(mailboxRoutes(ports.mailbox, ports.mailDelivered).routes())
  if (ports.sandboxState) app.use(sandboxRoutes(ports.sandboxState).routes())
  if (ports.advanceClock) app.use(clockRoutes(ports.advanceClock).routes())
  app.use(operatorGuard(isOperator))
  if (ports.site) {
    app.use(redirects)
    app.use(pageGuard(ports.cookies))
    app.use(serveSite(ports.site, ports.publicUrl))
  }
  app.use(() => {
    throw new Rejection('not_found', 'There is nothing here.')
  })
  // What is thrown is answered above: this is an answer that broke off, most of the time because its reader has left.
  app.on('error', (error: Error, { socket, state }: Context) => {
    const line = { err: error, requestId: state.requestId }
    ports.log[socket.destroyed ? 'debug' : 'error'](line, 'an answer did not get through')
  })
  return app
}

/** A known address that is asked by another method: the answer names the right ones. */
function otherMethods(api: Router): Middleware {
  return async (ctx, next) => {
    const known = api.match(ctx.path, ctx.method).path
    if (known.length === 0) return next()
    ctx.set('Allow', [...new Set(known.flatMap(({ methods }) => methods))].join(', '))
    throw new Rejection('method_not_allowed', 'Not with this method.')
  }
}
