import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'
import type { AnyProjection } from './projection.ts'

const REPORT_EVERY_MS = 2_000

type Model = Pick<AnyProjection, 'name' | 'version'>

/**
 * Records in the database when the read models of a subscription were last at the head of the log, so that other processes
 * can read it. Call `arrived` at the head, and `left` when there are more events to read.
 */
export function reportLive(database: Database, models: () => readonly Model[]) {
  let isAtHead = false
  let reportedAt = Number.NEGATIVE_INFINITY
  let reported: Promise<unknown> = Promise.resolve()
  const report = () => {
    reportedAt = performance.now()
    // The next report repeats a failed one.
    reported = reportAll(database, models()).catch(() => {})
  }
  const timer = setInterval(() => isAtHead && report(), REPORT_EVERY_MS)
  return {
    arrived() {
      isAtHead = true
      if (performance.now() - reportedAt >= REPORT_EVERY_MS) report()
    },
    left() {
      isAtHead = false
    },
    async stop() {
      clearInterval(timer)
      await reported
    },
  }
}

/** Reports models in one statement, and by themselves those that are locked: while it waited for one, it would lock the others. */
async function reportAll(database: Database, models: readonly Model[]): Promise<void> {
  const free = await query<{ name: string }>(
    database,
    `with free as materialized (
       select c.name from projection_checkpoint c
       join jsonb_to_recordset($1::jsonb) m (name text, version int) on c.name = m.name and c.version = m.version
       for update of c skip locked)
     update projection_checkpoint c set live_at = statement_timestamp() from free where c.name = free.name returning c.name`,
    [JSON.stringify(models.map(({ name, version }) => ({ name, version })))],
  )
  const reported = new Set(free.map(({ name }) => name))
  const locked = models.filter(({ name }) => !reported.has(name))
  await Promise.all(locked.map((model) => reportOne(database, model)))
}

const reportOne = (database: Database, { name, version }: Model) =>
  query(database, 'update projection_checkpoint set live_at = clock_timestamp() where name = $1 and version = $2', [
    name,
    version,
  ])
