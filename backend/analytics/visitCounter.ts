import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { COUNT_VISITS } from './countVisits.ts'

/** Delay before counting, ms, which collects a batch: counting many visits costs little more than counting one. */
const GATHER_MS = 50
const RETRY_MS = 2_000

/** Counts visits in the background, shortly after they are written. */
export function createVisitCounter(pool: Pick<pg.Pool, 'query'>, log: Pick<Logger, 'warn'>) {
  const closing = new AbortController()
  let isDue = false
  let counting: Promise<void> | undefined

  const countAll = async () => {
    let wait = GATHER_MS
    while (isDue) {
      await delay(wait, undefined, { signal: closing.signal }).catch(() => {})
      isDue = false
      try {
        await pool.query({ name: 'count-visits', text: COUNT_VISITS })
        wait = GATHER_MS
      } catch (error) {
        log.warn({ err: error }, 'counting page views failed, retrying')
        isDue = !closing.signal.aborted
        wait = RETRY_MS
      }
    }
    counting = undefined
  }

  return {
    /** Schedules a count of newly written visits. */
    wake(): void {
      isDue = true
      counting ??= countAll()
    },
    /** Counts pending visits and stops. Visits that cannot be counted stay queued for the next start. */
    async close(): Promise<void> {
      closing.abort()
      await counting
    },
  }
}
