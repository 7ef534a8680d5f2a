import type { Context, Middleware } from 'koa'
import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'

/** Polled every few seconds by machines, so logged at debug level only. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics'])

/** Logs and measures each request when its response starts. Lines carry correlation ids, but neither users nor addresses. */
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

/** Returns the pattern of the matched route. The path itself may contain a token, and would be an unbounded metric label. */
function routeOf(ctx: Context): string {
  const matched = ctx._matchedRoute
  if (typeof matched === 'string') return matched
  return ctx.status < 400 ? 'site' : 'none'
}
