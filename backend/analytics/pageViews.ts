import type pg from 'pg'
import type { Logger } from 'pino'
import type { PageView } from './contract.ts'

/** A visit as it is stored. */
export interface StoredPageView {
  /** ISO 8601, when it arrived. */
  readonly at: string
  readonly event_type: PageView['event_type']
  readonly path: string
  readonly status_code: number
  readonly referrer: string | null
  readonly user_agent: string | null
  readonly session_id: string | null
  readonly user_id: string | null
  /** A network in CIDR notation, never an address. */
  readonly ip: string | null
}

export interface PageViews {
  /** Takes a visit at once; it is written within a moment. */
  record(view: StoredPageView): void
  /** Resolves when all that was recorded so far is written, or has failed once. */
  flush(): Promise<void>
}

const EVERY_MS = 250
const BATCH_ROWS = 500
/** What is kept while the database cannot be reached; beyond that, the newest visits are not counted. */
const MOST_ROWS = 20_000

const COLUMNS = 'at, event_type, path, status_code, referrer, user_agent, session_id, user_id, ip'
const INSERT = `insert into page_view (${COLUMNS}) select ${COLUMNS} from jsonb_to_recordset($1::jsonb) as row (
  at timestamptz, event_type text, path text, status_code smallint, referrer text, user_agent text, session_id text,
  user_id uuid, ip cidr)`

/**
 * Buffers visits and writes them set by set, so that a burst of them never blocks other calls. A visit that was taken but not
 * yet written is lost when the process is killed.
 */
export function createPageViews(pool: Pick<pg.Pool, 'query'>, log: Logger): PageViews {
  let waiting: StoredPageView[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH_ROWS)
      try {
        await pool.query(INSERT, [JSON.stringify(batch)])
      } catch (error) {
        waiting = [...batch, ...waiting].slice(0, MOST_ROWS)
        log.warn({ err: error, waiting: waiting.length }, 'page views could not be written and wait')
        schedule()
        return
      }
    }
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  const schedule = () => {
    timer ??= setTimeout(flush, EVERY_MS)
  }

  return {
    record(view) {
      if (waiting.length >= MOST_ROWS) return
      waiting.push(view)
      if (waiting.length === BATCH_ROWS) void flush()
      else schedule()
    },
    async flush() {
      await flush()
      clearTimeout(timer)
      timer = undefined
    },
  }
}
