import type { MikroORM } from '@mikro-orm/core'
import type { EntityManager, PostgreSqlDriver } from '@mikro-orm/postgresql'
import type { GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { AnyProjection } from './projection.ts'

export type Database = MikroORM<PostgreSqlDriver, EntityManager>

/** Another process moved the checkpoint, or a newer program took over the read model. The batch was rolled back. */
class Fenced extends Error {
  override name = 'Fenced'
}

/** Reads a read model's checkpoint. Creates a missing one at this version, before the first event. */
export async function readCheckpoint(database: Database, { name, version }: { name: string; version: number }) {
  const em = database.em.fork()
  await em.execute('insert into projection_checkpoint (name, version) values (?, ?) on conflict do nothing', [
    name,
    version,
  ])
  const [row] = await em.execute<{ version: number; position: GlobalPosition | null }[]>(
    'select version, position from projection_checkpoint where name = ?',
    [name],
  )
  return { version: row!.version, position: row!.position ?? undefined }
}

export const tableName = (projection: AnyProjection): string => projection.table.meta.tableName

/** A notification of Postgres holds at most 8,000 bytes. */
const IDS_PER_NOTIFICATION = 100

interface Write {
  readonly ids: readonly string[]
  readonly from: GlobalPosition | undefined
  readonly to: GlobalPosition
  /** Default: the projection's own table. A rebuild writes to another. */
  readonly table?: string | undefined
}

/**
 * Loads rows, applies `fold`, writes them with the checkpoint in one transaction, and notifies listeners.
 * @throws Fenced the checkpoint is no longer at `from` and this version
 */
export function writeBatch(
  database: Database,
  projection: AnyProjection,
  { ids, from, to, table = tableName(projection) }: Write,
  fold: (rows: Map<string, object>) => unknown,
): Promise<void> {
  const name = table === tableName(projection) ? projection.name : table
  return database.em.fork().transactional(async (em) => {
    const fenced = await em.execute(
      `update projection_checkpoint set position = ?, updated_at = now()
       where name = ? and version = ? and position is not distinct from ?::text returning name`,
      [to, name, projection.version, from ?? null],
    )
    if (fenced.length === 0) throw new Fenced(name)
    if (ids.length > 0) await foldRows(em, table, ids, fold)
    for (let first = 0; first === 0 || first < ids.length; first += IDS_PER_NOTIFICATION)
      await notifyChange(em, { name, position: to, ids: ids.slice(first, first + IDS_PER_NOTIFICATION) })
  })
}

interface Change {
  readonly name: string
  readonly position?: GlobalPosition
  readonly ids: readonly string[]
}

/** Notifies all processes of changed rows, when the transaction commits. */
export async function notifyChange(em: EntityManager, change: Change): Promise<void> {
  await em.execute(`select pg_notify('read_model', ?)`, [JSON.stringify(change)])
}

/**
 * Reads an item from each row of a read model, and the position of the log that the rows include, in one snapshot.
 * @param item SQL expression over the row's columns
 * @param where SQL condition
 */
export async function readSnapshot<Item>(
  database: Database,
  projection: AnyProjection,
  item: string,
  where = 'true',
): Promise<{ upTo: GlobalPosition | undefined; items: Item[] }> {
  const [found] = await database.em.fork().execute<{ position: GlobalPosition | null; items: Item[] }[]>(
    `select (select position from projection_checkpoint where name = ?) as position,
       (select coalesce(json_agg(${item} order by id), '[]') from "${tableName(projection)}" where ${where}) as items`,
    [projection.name],
  )
  return { upTo: found!.position ?? undefined, items: found!.items }
}

async function foldRows(
  em: EntityManager,
  table: string,
  ids: readonly string[],
  fold: (rows: Map<string, object>) => unknown,
) {
  const idList = JSON.stringify(ids)
  const found = await em.execute<{ id: string; row: object }[]>(
    `select id, to_jsonb(t) as row from "${table}" t
     where id in (select value::uuid from jsonb_array_elements_text(?::jsonb)) for update`,
    [idList],
  )
  const rows = new Map(found.map(({ id, row }) => [id, row]))
  fold(rows)
  const gone = ids.filter((id) => !rows.has(id))
  if (gone.length > 0)
    await em.execute(
      `delete from "${table}" where id in (select value::uuid from jsonb_array_elements_text(?::jsonb))`,
      [JSON.stringify(gone)],
    )
  const kept = [...rows.values()]
  if (kept.length === 0) return
  const columns = Object.keys(kept[0]!).map((column) => `"${column}"`)
  await em.execute(
    `insert into "${table}" (${columns}) select ${columns} from jsonb_populate_recordset(null::"${table}", ?::jsonb)
     on conflict (id) do update set (${columns}) = row(${columns.map((column) => `excluded.${column}`)})`,
    [JSON.stringify(kept)],
  )
}
