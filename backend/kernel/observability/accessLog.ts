import type { Context, Middleware } from 'koa'
import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'
import { isTracing, traced } from './tracing.ts'

/** Routes that monitoring polls every few seconds; logged only at debug level. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics'])

/** Logs and measures each request when its response starts. Log lines contain no user ids or IP addresses. */
export const accessLog =
  (log: Logger, { requests }: Metrics): Middleware =>
  async (ctx, next) => {
    const start = performance.now()
    await next()
    const ms = performance.now() - start
    const route = routeOf(ctx)
    const { method, status } = ctx
    requests.observe({ method, route, status: String(status) }, ms / 1000)
    const { requestId, correlationId } = ctx.state
    const line = { requestId, correlationId, method, route, status, ms: Math.round(ms * 10) / 10 }
    log[QUIET.has(route) ? 'debug' : 'info'](line, 'request completed')
  }

/** Records each request as a span. Continues the trace that the client names. */
export const traceRequests: Middleware = (ctx, next) => {
  if (!isTracing() || QUIET.has(ctx.path)) return next()
  const options = {
    kind: 'server',
    traceparent: ctx.get('traceparent'),
    correlationId: ctx.state.correlationId,
  } as const
  const { method } = ctx
  return traced(
    'request',
    { 'http.request.method': method },
    async (span) => {
      await next()
      const route = routeOf(ctx)
      span.describe({ 'http.route': route, 'http.response.status_code': ctx.status }, `${method} ${route}`)
    },
    options,
  )
}

/** Returns the matched route's pattern. A path may contain a token, and paths as a metric label would be unbounded. */
export function routeOf(ctx: Context): string {
  const matched = ctx._matchedRoute
  if (typeof matched === 'string') return matched
  return ctx.status < 400 ? 'site' : 'none'
}
