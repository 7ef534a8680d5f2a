import type { AnyProjection } from './projection.ts'
import { type Database, query } from './query.ts'

const REPORT_EVERY_MS = 2_000

type Model = Pick<AnyProjection, 'name' | 'version'>

export type LivenessReports = ReturnType<typeof createLivenessReports>

/**
 * Records in the database when the read models of this process were last at the head of the log, so that other processes
 * can read it.
 */
export function createLivenessReports(database: Database) {
  const followed = new Set<Model>()
  const atHead = new Set<Model>()
  /** When each read model was last reported, ms. */
  const reportedAt = new WeakMap<Model, number>()
  const due = new Set<Model>()
  let isScheduled = false
  let reported = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  async function reportDue(): Promise<void> {
    // Read models that reach the head together are reported together.
    await Promise.resolve()
    isScheduled = false
    const models = [...due]
    due.clear()
    const skipped = await reportFree(database, models)
    await Promise.all(skipped.map((model) => reportOne(database, model)))
  }

  function report(model: Model): void {
    reportedAt.set(model, performance.now())
    due.add(model)
    if (isScheduled) return
    isScheduled = true
    // The next report repeats a failed one.
    reported = reportDue().catch(() => {})
  }

  return {
    /** Reports a read model until `stop`. Call `arrived` at the head, and `left` when there are more events to read. */
    follow({ name, version }: Model) {
      const model = { name, version }
      followed.add(model)
      timer ??= setInterval(() => {
        for (const each of atHead) report(each)
      }, REPORT_EVERY_MS)
      return {
        arrived() {
          atHead.add(model)
          const last = reportedAt.get(model) ?? Number.NEGATIVE_INFINITY
          if (performance.now() - last >= REPORT_EVERY_MS) report(model)
        },
        left() {
          atHead.delete(model)
        },
        async stop() {
          followed.delete(model)
          atHead.delete(model)
          if (followed.size === 0) {
            clearInterval(timer)
            timer = undefined
          }
          await reported
        },
      }
    },
  }
}

/** Reports models in one statement. Returns those that are locked: while it waited for one, it would lock the others. */
async function reportFree(database: Database, models: readonly Model[]): Promise<readonly Model[]> {
  const reported = await query<{ name: string }>(
    database,
    `with free as materialized (
       select c.name from projection_checkpoint c
       join jsonb_to_recordset(:models::jsonb) m (name text, version int) on c.name = m.name and c.version = m.version
       for update of c skip locked)
     update projection_checkpoint c set live_at = statement_timestamp() from free where c.name = free.name returning c.name`,
    { models: JSON.stringify(models) },
  )
  const names = new Set(reported.map(({ name }) => name))
  return models.filter(({ name }) => !names.has(name))
}

const reportOne = (database: Database, { name, version }: Model) =>
  query(
    database,
    'update projection_checkpoint set live_at = clock_timestamp() where name = :name and version = :version',
    { name, version },
  )
