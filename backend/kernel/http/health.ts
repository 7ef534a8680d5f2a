import { setTimeout as delay } from 'node:timers/promises'
import Router from '@koa/router'
import Koa from 'koa'
import type { Logger } from 'pino'
import { problemDetails } from './problemDetails.ts'

export type Readiness = 'starting' | 'ready' | 'draining'

const TIMEOUT_MS = 2_000

/**
 * Creates the health endpoints. `/healthz` reports liveness. `/readyz` reports readiness: the process has started, is
 * not draining, and `checkDependencies` resolves within two seconds.
 */
export function healthRoutes(readiness: () => Readiness, checkDependencies: () => Promise<unknown>): Router {
  const timeout = () => delay(TIMEOUT_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer')))
  return new Router()
    .get('/healthz', (ctx) => {
      ctx.body = { status: 'alive' }
    })
    .get('/readyz', async (ctx) => {
      let status: Readiness | 'unavailable' = readiness()
      if (status === 'ready')
        await Promise.race([checkDependencies(), timeout()]).catch(() => {
          status = 'unavailable'
        })
      ctx.status = status === 'ready' ? 200 : 503
      ctx.body = { status }
    })
}

/** Serves only health endpoints, for processes without the `api` role and for API processes until they are ready. */
export function createHealthApp(health: Router, log: Logger): Koa {
  const app = new Koa()
  app.use(problemDetails(log))
  app.use(health.routes())
  app.use((ctx) => {
    ctx.status = 503
    ctx.set('Retry-After', '1')
    ctx.body = 'Not ready, or no API on this process.'
  })
  return app
}
