import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import type { AccountServices } from '../../accounts/accountServices.ts'
import { createFairAdmission } from '../../kernel/http/fairness/fairAdmission.ts'
import { refuseForeign } from '../../kernel/http/ownOrigin.ts'
import { watchEventLoop } from '../../kernel/observability/eventLoopWatch.ts'
import { createRateLimit, exchangeCounts } from '../../kernel/sharedRateLimit.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'

/** Calls of a user, and of one of the user's API keys, on all processes, in a minute. */
const CALLS_PER_MINUTE = { user: 1_200, key: 300 }

/** Creates what limits and refuses requests. */
export function createGuards(
  context: Context,
  { keyDoor }: Services,
  { sessions }: AccountServices,
  publicUrl: () => string,
) {
  const { config, log, changes, pool } = context
  const eventLoop = watchEventLoop(log)
  const admission = createFairAdmission(config.http.rates, (ctx) => keyDoor.genuine(ctx) ?? sessions.issuedFor(ctx))
  const limits = { users: createRateLimit(CALLS_PER_MINUTE.user), keys: createRateLimit(CALLS_PER_MINUTE.key) }
  const stopExchanges = Object.values(limits).map((limit) => exchangeCounts(limit, changes, pool))
  const refuse = refuseForeign(publicUrl, config.production)
  return {
    middleware: {
      watchEventLoop: eventLoop.middleware,
      admit: admission.middleware,
      refuseForeign: refuse,
      limits,
    },
    admitSocket: (app: Koa, request: IncomingMessage) => admission.admitSocket(app, request, refuse),
    stop() {
      eventLoop.stop()
      admission.stop()
      for (const stop of stopExchanges) stop()
    },
  }
}
