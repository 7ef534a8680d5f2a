import type { ActivityPolicy } from './engine.port.ts'

/** Time after which another process takes over the activities of a killed one. */
export const heartbeatMs = 4_000

/** Policy for commands to Kinora's own log and database. Retries for as long as they are unavailable. */
export const bookkeeping: ActivityPolicy = {
  timeoutMs: 30_000,
  heartbeatMs,
  attempts: Number.MAX_SAFE_INTEGER,
  firstRetryMs: 100,
  maxRetryMs: 15_000,
  pool: 'main',
}
