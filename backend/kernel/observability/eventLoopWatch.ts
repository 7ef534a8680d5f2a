import type { Context, Middleware } from 'koa'
import type { Logger } from 'pino'
import { routeOf } from './accessLog.ts'

const EVERY_MS = 50
const BLOCKED_MS = 150

/**
 * Logs when one turn of the event loop takes long, with the routes of the requests that ran in it. Requests of all
 * users wait during such a turn.
 */
export function watchEventLoop(log: Pick<Logger, 'warn'>) {
  const inProgress = new Set<Context>()
  let ended: Context[] = []
  let expected = performance.now() + EVERY_MS

  const timer = setInterval(() => {
    const now = performance.now()
    const ms = Math.round(now - expected)
    if (ms > BLOCKED_MS) {
      const routes = [...new Set([...ended, ...inProgress].map((ctx) => `${ctx.method} ${routeOf(ctx)}`))]
      log.warn({ ms, routes }, 'event loop blocked')
    }
    ended = []
    expected = now + EVERY_MS
  }, EVERY_MS).unref()

  const middleware: Middleware = async (ctx, next) => {
    inProgress.add(ctx)
    try {
      await next()
    } finally {
      inProgress.delete(ctx)
      ended.push(ctx)
    }
  }
  return { middleware, stop: () => clearInterval(timer) }
}
