import { setTimeout as delay } from 'node:timers/promises'
import Router from '@koa/router'
import Koa from 'koa'
import type { Logger } from 'pino'
import english from '#content/en/errors.json' with { type: 'json' }
import chinese from '#content/zh/errors.json' with { type: 'json' }
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { problemDetails } from './problemDetails.ts'
import { refuseMalformed, requestHeaders } from './security.ts'

export type Readiness = 'starting' | 'ready' | 'draining'

const TIMEOUT_MS = 2_000

interface Health {
  readonly status: Readiness | 'degraded' | 'unavailable'
  /** Read models whose rows are out of date. */
  readonly behind?: readonly string[]
  /** Subscriptions that deliver nothing although the log has events for them. */
  readonly silent?: readonly string[]
}

interface Checks {
  readonly readiness: () => Readiness
  /** Rejects if the process cannot serve requests. */
  readonly dependencies: () => Promise<unknown>
  /** Returns the tables of the read models whose rows are out of date. */
  readonly behind: () => Promise<readonly string[]>
  /** Returns the names of the subscriptions of this process that are silent although the log has events for them. */
  readonly silent: () => readonly string[]
}

/**
 * Creates the health endpoints. `/healthz` reports liveness. `/readyz` reports readiness: the process has started, is
 * not draining, and its checks pass within two seconds. A process with outdated read models is ready, but degraded.
 */
export function healthRoutes({ readiness, dependencies, behind, silent }: Checks): Router {
  const timeout = () => delay(TIMEOUT_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer')))
  const check = async (): Promise<Health> => {
    const names = silent()
    if (names.length > 0) return { status: 'unavailable', silent: names }
    const [models] = await Promise.all([behind(), dependencies()])
    return models.length === 0 ? { status: 'ready' } : { status: 'degraded', behind: models }
  }
  const read = async (): Promise<Health> => {
    const status = readiness()
    if (status !== 'ready') return { status }
    return Promise.race([check(), timeout()]).catch((): Health => ({ status: 'unavailable' }))
  }
  return new Router()
    .get('/healthz', (ctx) => {
      ctx.body = { status: 'alive' }
    })
    .get('/readyz', async (ctx) => {
      const health = await read()
      ctx.status = health.status === 'ready' || health.status === 'degraded' ? 200 : 503
      ctx.body = health
    })
}

/** Seconds until a client should try again. */
const RETRY_S = 2

/** Serves only health endpoints, for processes without the `api` role and for API processes until they are ready. */
export function createHealthApp(health: Router, log: Logger): Koa {
  const app = new Koa()
  app.use(requestHeaders(() => ''))
  app.use(problemDetails(log))
  app.use(refuseMalformed)
  app.use(health.routes())
  app.use((ctx) => {
    if (ctx.method !== 'GET' || ctx.accepts('json', 'html') !== 'html')
      throw new Rejection('unavailable', english.unavailable, { retryAfter: RETRY_S })
    const isChinese = /^\/zh(\/|$)/.test(ctx.path)
    ctx.status = 503
    ctx.set({ 'Retry-After': String(RETRY_S), Refresh: String(RETRY_S), 'Cache-Control': 'no-store' })
    ctx.type = 'html'
    ctx.body = waitingPage(isChinese ? 'zh' : 'en', (isChinese ? chinese : english).unavailable)
  })
  return app
}

const waitingPage = (language: string, text: string) => `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="dark">
<title>Kinora</title>
<main><h1>Kinora</h1><p role="status">${text}</p></main>
</html>
`
