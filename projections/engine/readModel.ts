import type { EntityManager } from '@mikro-orm/postgresql'
import type { GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { AnyProjection } from './projection.ts'
import { type Database, query, queryOne } from './query.ts'

export const tableName = (projection: AnyProjection): string => projection.table.meta.tableName

/** Returns a read model's checkpoint. Creates a missing checkpoint at this version, before the first event. */
export async function readCheckpoint(database: Database, { name, version }: { name: string; version: number }) {
  const create = 'insert into projection_checkpoint (name, version) values (:name, :version) on conflict do nothing'
  await query(database, create, { name, version })
  const row = await queryOne<{ version: number; position: GlobalPosition | null }>(
    database,
    'select version, position from projection_checkpoint where name = :name',
    { name },
  )
  return { version: row.version, position: row.position ?? undefined }
}

/**
 * Returns an item for each row of a read model, and the log position up to which the rows are current, in one snapshot.
 * @param item SQL expression over the row's columns
 * @param where SQL condition
 */
export async function readSnapshot<Item>(database: Database, projection: AnyProjection, item: string, where = 'true') {
  const { position, items } = await queryOne<{ position: GlobalPosition | null; items: Item[] }>(
    database,
    `select (select position from projection_checkpoint where name = :name) as position,
       (select coalesce(json_agg(${item} order by id), '[]') from "${tableName(projection)}" where ${where}) as items`,
    { name: projection.name },
  )
  return { upTo: position ?? undefined, items }
}

type Change = Readonly<{ name: string; position?: GlobalPosition; ids: readonly string[] }>

/** Notifies all processes of changed rows when the transaction commits. */
export async function notifyChange(em: EntityManager, change: Change): Promise<void> {
  await em.execute(`select pg_notify('read_model', ?)`, [JSON.stringify(change)])
}
