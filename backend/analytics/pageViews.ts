import type pg from 'pg'
import type { Logger } from 'pino'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { PageView } from './contract.ts'
import { WRITE_VISITS } from './countVisits.ts'

/** A row of `page_view`. */
export interface StoredPageView {
  /** ISO 8601 time at which the server received the view. */
  readonly at: string
  readonly event_type: PageView['event_type']
  readonly path: string
  readonly status_code: number
  /** Views by bots are stored but not counted. */
  readonly bot: boolean
  /** UUID, the same for all visits of a person on one day. */
  readonly visitor: string
  readonly session_id: string | null
  readonly user_id: string | null
  readonly referrer: string | null
  readonly user_agent: string | null
  /** Full address. A sweep truncates it to its network after 24 hours. */
  readonly ip: string | null
}

export type PageViews = ReturnType<typeof createPageViews>

interface Waiting {
  readonly view: StoredPageView
  readonly resolve: () => void
  readonly reject: (error: Rejection) => void
  /** Monotonic, ms. */
  readonly deadline: number
}

const BATCH_ROWS = 500
/** Maximum number of waiting visits. Limits memory use while the database cannot keep up. */
const MAX_WAITING = 5_000
const TIMEOUT_MS = 5_000

const unavailable = () =>
  new Rejection('unavailable', 'Visits cannot be recorded right now. Try again in a few seconds.', { retryAfter: 5 })
const utcDay = (view: StoredPageView) => view.at.slice(0, 10)

/**
 * Writes visits in batches, one batch at a time. A burst of visits uses one database connection, and each call resolves
 * when its batch is committed.
 */
export function createPageViews(pool: Pick<pg.Pool, 'query'>, log: Pick<Logger, 'warn'>, onWritten: () => void) {
  const days = new Set<string>()
  const waiting: Waiting[] = []
  let writing: Promise<void> | undefined

  const write = async (views: readonly StoredPageView[]) => {
    for (const day of new Set(views.map(utcDay))) {
      if (days.has(day)) continue
      const text = 'select page_view_partition($1)'
      await pool.query({ text, values: [day], query_timeout: TIMEOUT_MS } as pg.QueryConfig)
      days.add(day)
    }
    const values = [JSON.stringify(views)]
    await pool.query({ name: 'page-views', text: WRITE_VISITS, values, query_timeout: TIMEOUT_MS } as pg.QueryConfig)
    onWritten()
  }

  const writeAll = async () => {
    // Waits so that the first batch includes all visits received in this iteration of the event loop.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH_ROWS)
      const inTime = batch.filter(({ deadline }) => deadline > performance.now())
      try {
        if (inTime.length > 0) await write(inTime.map(({ view }) => view))
        for (const { resolve } of inTime) resolve()
      } catch (error) {
        log.warn({ err: error, views: inTime.length }, 'writing page views failed')
        for (const { reject } of inTime) reject(unavailable())
      }
      for (const late of batch) if (!inTime.includes(late)) late.reject(unavailable())
    }
    writing = undefined
  }

  return {
    /** Resolves when the visit is committed. @throws Rejection `unavailable`: queue full or not written in 5 s */
    record(view: StoredPageView): Promise<void> {
      if (waiting.length >= MAX_WAITING) return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        waiting.push({ view, resolve, reject, deadline: performance.now() + TIMEOUT_MS })
        writing ??= writeAll()
      })
    },
    /** Resolves when every recorded visit is written or has failed. */
    flush: async () => await writing,
  }
}
