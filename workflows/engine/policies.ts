import type { ActivityPolicy } from './engine.port.ts'

/** Four seconds after a process was killed, another one takes over its activities. */
export const heartbeatMs = 4_000

/** For commands against our own log and database: retried for as long as these are unavailable. */
export const bookkeeping: ActivityPolicy = {
  timeoutMs: 30_000,
  heartbeatMs,
  attempts: Number.MAX_SAFE_INTEGER,
  firstRetryMs: 100,
  maxRetryMs: 15_000,
  pool: 'main',
}
