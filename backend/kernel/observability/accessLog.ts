import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'
import { routeOf } from './routeOf.ts'

/** Asked every few seconds by machines: a line for each would bury the others. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * One line and one measurement for each request, when its answer begins. The line names the request and what it belongs to;
 * who called stands in the events alone.
 */
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
    log[QUIET.has(route) ? 'debug' : 'info'](line, 'a request was answered')
  }
