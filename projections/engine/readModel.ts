import type { GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryOne } from '#backend/kernel/postgres/query.ts'
import type { AnyProjection } from './projection.ts'

/** Checkpoint version with which an operator requests a rebuild by the running version. */
export const REBUILD_REQUESTED = 0

export const tableName = (projection: AnyProjection): string => projection.table.meta.tableName

/** A table that a projection fills: the live one, or the second one of a rebuild. */
export interface Target {
  readonly projection: AnyProjection
  /** Name of its checkpoint. */
  readonly name: string
  readonly table: string
}

export const liveTarget = (projection: AnyProjection): Target => ({
  projection,
  name: projection.name,
  table: tableName(projection),
})

export interface Checkpoint {
  readonly version: number
  readonly position: GlobalPosition | undefined
}

/** Returns checkpoints by name. Creates missing ones at these versions, before the first event. */
export async function openCheckpoints(
  database: Database,
  models: readonly { name: string; version: number }[],
): Promise<ReadonlyMap<string, Checkpoint>> {
  const wanted = JSON.stringify(models.map(({ name, version }) => ({ name, version })))
  const create = `with created as (
      insert into projection_checkpoint (name, version) select name, version
      from jsonb_to_recordset($1::jsonb) m (name text, version int) on conflict do nothing returning name)
    delete from parked_event where projection in (select name from created)`
  await query(database, create, [wanted])
  const rows = await query<{ name: string; version: number; position: GlobalPosition | null }>(
    database,
    `select c.name, c.version, c.position from projection_checkpoint c
     join jsonb_to_recordset($1::jsonb) m (name text) on c.name = m.name`,
    [wanted],
  )
  return new Map(rows.map(({ name, version, position }) => [name, { version, position: position ?? undefined }]))
}

/** Time after which a read model of a newer version has been left by its processes, ms. */
const LEFT_MS = 2 * 60_000

/**
 * Requests the rebuild of a read model of a newer version that no process has kept up to date for two minutes. Before
 * the first report, they count from the swap.
 */
export async function reclaim(database: Database, { name, version }: AnyProjection): Promise<void> {
  const sql = `update projection_checkpoint set version = $1, position = null, last_event = null
    where name = $2 and version > $3
      and coalesce(live_at, updated_at) < clock_timestamp() - $4 * interval '1 millisecond'`
  await query(database, sql, [REBUILD_REQUESTED, name, version, LEFT_MS])
}

/**
 * Returns an item for each row of a read model, and the log position up to which the rows include every event, in one
 * snapshot. Events after it may be included too.
 * @param item SQL expression over the row's columns
 * @param where SQL condition
 */
export async function readSnapshot<Item>(database: Database, projection: AnyProjection, item: string, where = 'true') {
  const { position, items } = await queryOne<{ position: GlobalPosition | null; items: Item[] }>(
    database,
    `select (select case when parked.projection is null then live.position else parked.checkpoint end
         from projection_checkpoint live left join parked_event parked on parked.projection = live.name
         where live.name = $1 order by parked.position limit 1) as position,
       (select coalesce(json_agg(${item} order by id), '[]') from "${tableName(projection)}" where ${where}) as items`,
    [projection.name],
  )
  return { upTo: position ?? undefined, items }
}

/** Returns whether the rows of a read model include all events older than a day. */
export async function includesYesterday(database: Database, { name }: AnyProjection): Promise<boolean> {
  const [found] = await query<{ complete: boolean }>(
    database,
    `select live_at > clock_timestamp() - interval '1 day'
       and not exists (select from parked_event where projection = $1) as complete
     from projection_checkpoint where name = $1`,
    [name],
  )
  return found?.complete ?? false
}
