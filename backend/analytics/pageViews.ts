import type pg from 'pg'
import type { Logger } from 'pino'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { PageView } from './contract.ts'
import { WRITE } from './countVisits.ts'

/** A visit as it is stored. */
export interface StoredPageView {
  /** ISO 8601, when it arrived. */
  readonly at: string
  readonly event_type: PageView['event_type']
  readonly path: string
  readonly status_code: number
  /** Kept, but not counted. */
  readonly bot: boolean
  /** The same for the visits of one person on one day. */
  readonly visitor: string
  readonly session_id: string | null
  readonly user_id: string | null
  readonly referrer: string | null
  readonly user_agent: string | null
  /** The address; a sweep cuts it to its network after a day. */
  readonly ip: string | null
}

export interface PageViews {
  /** Resolves when the visit is committed. @throws Rejection unavailable: it could not be written in time */
  record(view: StoredPageView): Promise<void>
  /** Resolves when all that was recorded so far is written, or has failed. */
  flush(): Promise<void>
}

interface Waiting {
  readonly view: StoredPageView
  readonly resolve: () => void
  readonly reject: (error: Rejection) => void
  readonly until: number
}

const BATCH_ROWS = 500
/** More than these wait only when the database does not keep up by far. */
const MOST_WAITING = 5_000
/** Nobody waits longer for an answer. */
const PATIENCE_MS = 5_000

const unavailable = () => new Rejection('unavailable', 'Visits cannot be counted right now.', { retryAfter: 5 })
const utcDay = (view: StoredPageView) => view.at.slice(0, 10)

/**
 * Writes visits set by set, one set at a time: what arrives while a set is being written is the next one. So a burst takes
 * one connection of the database and never blocks other calls, and each visit is answered once it is committed.
 */
export function createPageViews(
  pool: Pick<pg.Pool, 'query'>,
  log: Pick<Logger, 'warn'>,
  onWritten: () => void,
): PageViews {
  const days = new Set<string>()
  const waiting: Waiting[] = []
  let writing: Promise<void> | undefined

  const write = async (views: readonly StoredPageView[]) => {
    for (const day of new Set(views.map(utcDay))) {
      if (days.has(day)) continue
      await pool.query({ text: 'select page_view_partition($1)', values: [day], query_timeout: PATIENCE_MS } as never)
      days.add(day)
    }
    const values = [JSON.stringify(views)]
    await pool.query({ name: 'page-views', text: WRITE, values, query_timeout: PATIENCE_MS } as never)
    onWritten()
  }

  const writeAll = async () => {
    // What comes in the same turn of the event loop goes along.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH_ROWS)
      const inTime = batch.filter(({ until }) => until > Date.now())
      try {
        if (inTime.length > 0) await write(inTime.map(({ view }) => view))
        for (const { resolve } of inTime) resolve()
      } catch (error) {
        log.warn({ err: error, views: inTime.length }, 'visits could not be written')
        for (const { reject } of inTime) reject(unavailable())
      }
      for (const late of batch) if (!inTime.includes(late)) late.reject(unavailable())
    }
    writing = undefined
  }

  return {
    record(view) {
      if (waiting.length >= MOST_WAITING) return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        waiting.push({ view, resolve, reject, until: Date.now() + PATIENCE_MS })
        writing ??= writeAll()
      })
    },
    flush: async () => await writing,
  }
}
