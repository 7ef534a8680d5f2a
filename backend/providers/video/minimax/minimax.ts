import type pg from 'pg'
import type { Logger } from 'pino'
import { createOperatorAlerts } from '#backend/operators/operatorAlerts.ts'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { createCallWindow } from '../callWindow.ts'
import { createCircuit } from '../circuit.ts'
import { createMinimaxApi } from './minimaxApi.ts'
import { createMinimaxProvider } from './minimaxProvider.ts'

/** Milliseconds, and calls. MiniMax takes 20 requests a minute on its Hailuo models, and asks for 5 to 10 s between looks. */
export const MINIMAX_PACE = {
  /** A little more than a minute: a call may be on its way for longer than the one after it. */
  windowMs: 61_000,
  createsPerWindow: 20,
  queriesPerWindow: 300,
  pollMs: 6_000,
  connectMs: 10_000,
  createMs: 60_000,
  askMs: 15_000,
  stallMs: 30_000,
  /** Failures in a row until nobody calls, how long then, at first and at most, and how long a trial may take. */
  threshold: 3,
  openMs: 5_000,
  longestOpenMs: 60_000,
  trialMs: 90_000,
}
export type MinimaxPace = typeof MINIMAX_PACE

export interface MinimaxOptions {
  readonly apiKey: string
  readonly baseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  readonly callbackUrl: (taskId: string) => string | undefined
  readonly pace?: Partial<MinimaxPace> | undefined
}

/** MiniMax with what all processes share in the database: its limits, its circuit, and the operator's alerts. */
export function createMinimax({ apiKey, baseUrl, pool, log, callbackUrl, ...options }: MinimaxOptions): VideoProvider {
  const pace = { ...MINIMAX_PACE, ...options.pace }
  return createMinimaxProvider({
    api: createMinimaxApi({ apiKey, baseUrl, ...pace }),
    creates: createCallWindow(pool, 'minimax create', pace.createsPerWindow, pace.windowMs),
    queries: createCallWindow(pool, 'minimax query', pace.queriesPerWindow, pace.windowMs),
    circuit: createCircuit(pool, 'minimax', {
      threshold: pace.threshold,
      firstMs: pace.openMs,
      longestMs: pace.longestOpenMs,
      trialMs: pace.trialMs,
    }),
    alerts: createOperatorAlerts(pool, log),
    log,
    callbackUrl,
    pollMs: pace.pollMs,
    stallMs: pace.stallMs,
  })
}
