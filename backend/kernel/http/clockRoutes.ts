import Router from '@koa/router'
import { koaBody } from 'koa-body'
import * as z from 'zod/mini'
import { ValidationError } from './problemDetails.ts'

const TEN_YEARS_MS = 10 * 366 * 24 * 3_600_000
const Move = z.object({ advance_ms: z.number().check(z.int(), z.gte(0), z.lte(TEN_YEARS_MS)) })

/** Creates the route `POST /dev/clock`, which moves the calendar ahead by `advance_ms`. Development only. */
export function clockRoutes(advance: (ms: number) => Promise<number>): Router {
  return new Router().post('/dev/clock', koaBody(), async (ctx) => {
    const move = z.safeParse(Move, ctx.request.body)
    if (!move.success) throw ValidationError.from(move.error)
    ctx.body = { now: new Date(await advance(move.data.advance_ms)).toISOString() }
  })
}
