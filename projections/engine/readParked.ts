import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'
import { type Page, queryPage } from './queryPage.ts'

interface ParkedEvent {
  readonly projection: string
  readonly stream: string
  readonly type: string
  /** Null if the event only follows another parked event of its row. */
  readonly error: string | null
  /** ISO 8601. */
  readonly parkedAt: string
}

/** Excludes the parked events of unfinished rebuilds. */
const LIVE = 'parked_event join projection_checkpoint on name = projection'

/** Returns one page of the parked events, oldest first, and the total count. */
export const listParked = (database: Database, page: Page) =>
  queryPage<ParkedEvent>(
    database,
    {
      columns: 'projection, stream, type, error, parked_at as "parkedAt"',
      from: LIVE,
      orderBy: 'parked_event.position, projection',
    },
    [],
    page,
  )

/** Counts the parked events by projection. Projections without any are omitted. */
export const countParked = (database: Database) =>
  query<{ projection: string; count: number }>(
    database,
    `select projection, count(*)::int as count from ${LIVE} group by projection`,
  )
