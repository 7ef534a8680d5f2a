import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryOne } from '#backend/kernel/postgres/query.ts'
import type { AnyProjection } from './projection.ts'
import { REBUILD_REQUESTED, tableName } from './readModel.ts'

const FIRST_POLL_MS = 4
const LAST_POLL_MS = 100

/** Returns the current time of the database's clock, which all processes share. */
export async function databaseTime(database: Database): Promise<string> {
  return (await queryOne<{ now: string }>(database, 'select clock_timestamp()::text as now')).now
}

/** Time without reaching the head of the log after which a projection is behind. */
const STALLED_MS = 10_000

/**
 * Returns the tables of the read models that no process has brought to the head of the log, at this version or a newer
 * one, since an instant of the database's clock; by default, in the last ten seconds.
 */
export async function readBehind(
  projections: readonly AnyProjection[],
  database: Database,
  since?: string,
): Promise<string[]> {
  const models = projections.map((projection) => ({
    name: projection.name,
    version: projection.version,
    table: tableName(projection),
  }))
  const behind = await query<{ table: string }>(
    database,
    `select p."table" from jsonb_to_recordset($1::jsonb) p (name text, version int, "table" text)
     left join projection_checkpoint c on c.name = p.name
     where c.version is null or c.version <> $2 and c.version < p.version or c.live_at is null
       or c.live_at < coalesce($3::timestamptz, clock_timestamp() - $4 * interval '1 millisecond')
     order by p."table"`,
    [JSON.stringify(models), REBUILD_REQUESTED, since ?? null, STALLED_MS],
  )
  return behind.map(({ table }) => table)
}

/**
 * Waits until every projection has been at the head of the log since an instant of the database's clock, in any process.
 * A database that does not answer is asked again. Also resolves when the signal aborts.
 */
export async function caughtUp(
  projections: readonly AnyProjection[],
  database: Database,
  since: string,
  signal: AbortSignal,
): Promise<void> {
  const isCurrent = async () => (await readBehind(projections, database, since)).length === 0
  for (let wait = FIRST_POLL_MS; !signal.aborted && !(await isCurrent().catch(() => false)); wait *= 2)
    await delay(Math.min(wait, LAST_POLL_MS), undefined, { signal }).catch(() => {})
}
