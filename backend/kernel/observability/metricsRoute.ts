import { createHash, timingSafeEqual } from 'node:crypto'
import type Router from '@koa/router'
import type { Context } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'

export interface MetricsAccess {
  /** Prometheus' text. */
  readonly read: () => Promise<{ readonly type: string; readonly text: string }>
  /** What a caller must show as `Authorization: Bearer …`. */
  readonly token: string | undefined
  readonly production: boolean
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * `GET /metrics`. With a token only for who shows it. Without one there is nothing in production; elsewhere it is for this
 * machine and its network: a request that a proxy brings comes from outside.
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
