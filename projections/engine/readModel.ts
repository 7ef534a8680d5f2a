import type { MikroORM } from '@mikro-orm/core'
import type { EntityManager, PostgreSqlDriver } from '@mikro-orm/postgresql'
import type { GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { AnyProjection } from './projection.ts'

export type Database = MikroORM<PostgreSqlDriver, EntityManager>

/** Someone else moved the checkpoint, or a newer program took the read model over: the batch was rolled back. */
export class Fenced extends Error {
  override name = 'Fenced'
}

export interface Checkpoint {
  readonly version: number
  readonly position: GlobalPosition | undefined
}

/** Where a read model stands; a new one begins at the projection's version, before the first event. */
export async function readCheckpoint(
  database: Database,
  { name, version }: { name: string; version: number },
): Promise<Checkpoint> {
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

interface Write {
  readonly ids: readonly string[]
  readonly from: GlobalPosition | undefined
  readonly to: GlobalPosition
  /** Another table than the projection's own: while it is built anew. */
  readonly table?: string | undefined
}

/**
 * Loads rows, lets `fold` change them, and writes them with the checkpoint in one transaction, then tells who listens.
 * @throws Fenced the checkpoint is not at `from` and at this version any more
 */
export function writeBatch(
  database: Database,
  projection: AnyProjection,
  { ids, from, to, table = tableName(projection) }: Write,
  fold: (rows: Map<string, object>) => void,
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
    for (let first = 0; first === 0 || first < ids.length; first += 100) {
      const change = JSON.stringify({ name, position: to, ids: ids.slice(first, first + 100) })
      await em.execute(`select pg_notify('read_model', ?)`, [change])
    }
  })
}

async function foldRows(
  em: EntityManager,
  table: string,
  ids: readonly string[],
  fold: (rows: Map<string, object>) => void,
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
