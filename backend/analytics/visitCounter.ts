import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { COUNT } from './countVisits.ts'

export interface VisitCounter {
  /** Visits were written: they are counted soon. */
  wake(): void
  /** Counts at once what was written so far, and no more from then on. What cannot be counted is left for the next start. */
  close(): Promise<void>
}

/** Meanwhile more visits are written, and counting many takes hardly longer than counting one. */
const GATHER_MS = 50
const RETRY_MS = 2_000

/** Counts visits close behind their writing, so that nobody who is counted waits for it. */
export function createVisitCounter(pool: Pick<pg.Pool, 'query'>, log: Pick<Logger, 'warn'>): VisitCounter {
  const closing = new AbortController()
  let isDue = false
  let counting: Promise<void> | undefined

  const countAll = async () => {
    let wait = GATHER_MS
    while (isDue) {
      await delay(wait, undefined, { signal: closing.signal }).catch(() => {})
      isDue = false
      try {
        await pool.query({ name: 'count-visits', text: COUNT })
        wait = GATHER_MS
      } catch (error) {
        log.warn({ err: error }, 'visits could not be counted yet')
        isDue = !closing.signal.aborted
        wait = RETRY_MS
      }
    }
    counting = undefined
  }

  return {
    wake() {
      isDue = true
      counting ??= countAll()
    },
    async close() {
      closing.abort()
      await counting
    },
  }
}
