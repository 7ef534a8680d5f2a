import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'
import { routeOf } from './routeOf.ts'

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
