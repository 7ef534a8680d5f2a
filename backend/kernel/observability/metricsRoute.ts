import { createHash, timingSafeEqual } from 'node:crypto'
import type Router from '@koa/router'
import type { Context } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'

interface MetricsAccess {
  /** Returns the metrics in the Prometheus text format, with its media type. */
  readonly read: () => Promise<{ readonly type: string; readonly text: string }>
  /** Bearer token that requests must carry, if configured. */
  readonly token: string | undefined
  readonly production: boolean
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * Serves `GET /metrics`. If a token is configured, requests must carry it. Without a token, production responds with
 * 404, and development serves only requests that did not come through a proxy.
 */
export function serveMetrics(router: Router, { read, token, production }: MetricsAccess): void {
  const mayRead = (ctx: Context) => {
    if (token === undefined) return !production && ctx.get('X-Forwarded-For') === ''
    return timingSafeEqual(digest(ctx.get('Authorization')), digest(`Bearer ${token}`))
  }
  router.get('/metrics', async (ctx) => {
    if (!mayRead(ctx)) throw new Rejection('not_found', 'There is nothing here.')
    const { type, text } = await read()
    ctx.set('Cache-Control', 'no-store')
    ctx.type = type
    ctx.body = text
  })
}
