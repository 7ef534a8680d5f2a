import { setTimeout as delay } from 'node:timers/promises'
import Router from '@koa/router'
import Koa from 'koa'
import type { Logger } from 'pino'
import { problemDetails } from './problemDetails.ts'

/** What a process can be asked for: nothing yet, everything, or nothing more. */
export type Readiness = 'starting' | 'ready' | 'draining'

const PATIENCE_MS = 2_000

/**
 * `/healthz` says that the process is alive; `/readyz` whether it may be given work: it has started, is not about to stop,
 * and what it cannot do without answers.
 */
export function healthRoutes(readiness: () => Readiness, dependencies: () => Promise<unknown>): Router {
  const late = () => delay(PATIENCE_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer')))
  return new Router()
    .get('/healthz', (ctx) => {
      ctx.body = { status: 'alive' }
    })
    .get('/readyz', async (ctx) => {
      let status: Readiness | 'unavailable' = readiness()
      if (status === 'ready')
        await Promise.race([dependencies(), late()]).catch(() => {
          status = 'unavailable'
        })
      ctx.status = status === 'ready' ? 200 : 503
      ctx.body = { status }
    })
}

/** All that a process without the API answers, and one with it until it has started. */
export function createHealthApp(health: Router, log: Logger): Koa {
  const app = new Koa()
  app.use(problemDetails(log))
  app.use(health.routes())
  app.use((ctx) => {
    ctx.status = 503
    ctx.set('Retry-After', '1')
    ctx.body = 'Nothing is served here, or not yet.'
  })
  return app
}
