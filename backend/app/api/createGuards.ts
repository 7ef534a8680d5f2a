import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import type { AccountServices } from '../../accounts/accountServices.ts'
import { createFairAdmission } from '../../kernel/http/fairness/fairAdmission.ts'
import { refuseForeign } from '../../kernel/http/ownOrigin.ts'
import { watchEventLoop } from '../../kernel/observability/eventLoopWatch.ts'
import { createRateLimit, exchangeCounts } from '../../kernel/sharedRateLimit.ts'
import type { Context } from '../context.ts'

/** Calls of a user on all processes, in a minute. */
const CALLS_PER_MINUTE = 1_200

/** Creates what limits and refuses requests. */
export function createGuards(context: Context, { sessions }: AccountServices, publicUrl: () => string) {
  const { config, log, changes, pool } = context
  const eventLoop = watchEventLoop(log)
  const admission = createFairAdmission(config.http.rates, sessions.issuedFor)
  const limit = createRateLimit(CALLS_PER_MINUTE)
  const stopExchange = exchangeCounts(limit, changes, pool)
  const refuse = refuseForeign(publicUrl, config.production)
  return {
    middleware: {
      watchEventLoop: eventLoop.middleware,
      admit: admission.middleware,
      refuseForeign: refuse,
      limit,
    },
    admitSocket: (app: Koa, request: IncomingMessage) => admission.admitSocket(app, request, refuse),
    stop() {
      eventLoop.stop()
      admission.stop()
      stopExchange()
    },
  }
}
