import Router from '@koa/router'
import * as z from 'zod/mini'
import { ValidationError } from './problemDetails.ts'
import { readJson } from './readRawBody.ts'

const TEN_YEARS_MS = 10 * 366 * 24 * 3_600_000
const MAX_BYTES = 1_024
const Move = z.object({ advance_ms: z.number().check(z.int(), z.gte(0), z.lte(TEN_YEARS_MS)) })

/** Creates the route `POST /dev/clock`, which moves the calendar ahead by `advance_ms`. Development only. */
export function clockRoutes(advance: (ms: number) => Promise<number>): Router {
  return new Router().post('/dev/clock', async (ctx) => {
    const move = z.safeParse(Move, await readJson(ctx, MAX_BYTES))
    if (!move.success) throw ValidationError.from(move.error)
    ctx.body = { now: new Date(await advance(move.data.advance_ms)).toISOString() }
  })
}
