import { setTimeout as delay } from 'node:timers/promises'
import type { AnyProjection } from './projection.ts'
import { type Database, query, queryOne } from './query.ts'

const REPORT_EVERY_MS = 2_000
const POLL_MS = 25

/**
 * Records in the database when a projection was last at the head of the log, so that other processes can read it. Call
 * `arrived` at the head, and `left` when there are more events to read.
 */
export function reportLiveness({ name, version }: AnyProjection, database: Database) {
  let atHead = false
  let reportedAt = Number.NEGATIVE_INFINITY
  let reporting = Promise.resolve()
  const report = async () => {
    reportedAt = performance.now()
    const sql = 'update projection_checkpoint set live_at = clock_timestamp() where name = :name and version = :version'
    // The timer retries a failed report.
    await query(database, sql, { name, version }).catch(() => {})
  }
  const timer = setInterval(() => {
    if (atHead) reporting = report()
  }, REPORT_EVERY_MS)
  return {
    arrived() {
      atHead = true
      if (performance.now() - reportedAt >= REPORT_EVERY_MS) reporting = report()
    },
    left() {
      atHead = false
    },
    async stop() {
      clearInterval(timer)
      await reporting
    },
  }
}

/** Returns the current time of the database's clock, which all processes share. */
export async function databaseTime(database: Database): Promise<string> {
  return (await queryOne<{ now: string }>(database, 'select clock_timestamp()::text as now')).now
}

/**
 * Waits until every projection has been at the head of the log since an instant of the database's clock, at this
 * version or a newer one, in any process.
 */
export async function caughtUp(projections: readonly AnyProjection[], database: Database, since: string) {
  const versions = JSON.stringify(projections.map(({ name, version }) => ({ name, version })))
  const lagging = () =>
    query(
      database,
      `select p.name from jsonb_to_recordset(:versions::jsonb) p (name text, version int)
       left join projection_checkpoint c on c.name = p.name
       where c.version is null or c.version < p.version or c.live_at is null or c.live_at < :since::timestamptz`,
      { versions, since },
    )
  while ((await lagging()).length > 0) await delay(POLL_MS)
}
