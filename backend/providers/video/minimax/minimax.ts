import type pg from 'pg'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { BREAKER_DEFAULTS, createCircuitBreaker } from '../protection/circuitBreaker.ts'
import { createSlidingWindowLimiter } from '../protection/slidingWindowLimiter.ts'
import { createMinimaxApi } from './minimaxApi.ts'
import { createMinimaxProvider, type MinimaxDeps } from './minimaxProvider.ts'

/**
 * Times in milliseconds, and rate limits. MiniMax allows most accounts 20 requests per minute for its Hailuo models and
 * recommends polling every 5 to 10 seconds.
 */
const MINIMAX_TIMING = {
  /** Slightly longer than MiniMax's one-minute window, because network latency varies between calls. */
  windowMs: 61_000,
  createsPerWindow: 20,
  /** Queries that a job of a minute needs, with those of its callback and its download, and some more. */
  queriesPerCreate: 15,
  pollIntervalMs: 6_000,
  connectTimeoutMs: 10_000,
  createTimeoutMs: 60_000,
  queryTimeoutMs: 15_000,
  stallTimeoutMs: 30_000,
  ...BREAKER_DEFAULTS,
  probeTimeoutMs: 90_000,
}
export type MinimaxTiming = typeof MINIMAX_TIMING

export interface MinimaxOptions extends Pick<MinimaxDeps, 'alerts' | 'log' | 'callbackUrl' | 'guard'> {
  readonly apiKey: string
  readonly baseUrl: string
  /** Creates that the account may make in a minute. */
  readonly createsPerMinute?: number
  readonly pool: pg.Pool
  readonly timing?: Partial<MinimaxTiming> | undefined
}

/** Creates the MiniMax provider. All processes that use the same database share its rate limits and circuit breaker. */
export function createMinimax({
  apiKey,
  baseUrl,
  pool,
  timing,
  createsPerMinute,
  ...deps
}: MinimaxOptions): VideoProvider {
  const createsPerWindow = createsPerMinute ?? MINIMAX_TIMING.createsPerWindow
  const options = { ...MINIMAX_TIMING, createsPerWindow, ...timing }
  const queriesPerWindow = options.createsPerWindow * options.queriesPerCreate
  return createMinimaxProvider({
    ...deps,
    ...options,
    createsPerMinute: options.createsPerWindow,
    baseUrl,
    guard: deps.guard.trusting(baseUrl),
    api: createMinimaxApi({ apiKey, baseUrl, ...options }),
    creates: createSlidingWindowLimiter(pool, 'minimax creates', options.createsPerWindow, options.windowMs),
    queries: createSlidingWindowLimiter(pool, 'minimax queries', queriesPerWindow, options.windowMs),
    breaker: createCircuitBreaker(pool, 'minimax', options),
  })
}
