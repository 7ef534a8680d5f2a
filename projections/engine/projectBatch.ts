import type { EntityManager } from '@mikro-orm/postgresql'
import type { EventBatch, GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { type AnyProjection, foldEvents } from './projection.ts'
import type { Database } from './query.ts'
import { notifyChange, tableName } from './readModel.ts'

/** Another process moved the checkpoint, or a newer version took over the read model. The batch was rolled back. */
class Fenced extends Error {
  override name = 'Fenced'
}

/** Postgres limits the payload of a notification to 8,000 bytes. */
const IDS_PER_NOTIFICATION = 100

/**
 * Folds a batch into its rows, writes them with the checkpoint in one transaction, and notifies listeners.
 * @param from checkpoint position before the batch
 * @param table table to write to, by default the projection's own
 * @throws Fenced if the checkpoint no longer has this position and version
 */
export function projectBatch(
  projection: AnyProjection,
  database: Database,
  batch: EventBatch,
  from: GlobalPosition | undefined,
  table = tableName(projection),
): Promise<void> {
  const events = batch.events.filter(({ type }) => type in projection.on)
  const ids = [...new Set(events.map((event) => projection.row(event)))]
  const name = table === tableName(projection) ? projection.name : table
  return database.em.fork().transactional(async (em) => {
    const fenced = await em.execute(
      `update projection_checkpoint set position = ?, updated_at = now()
       where name = ? and version = ? and position is not distinct from ?::text returning name`,
      [batch.position, name, projection.version, from ?? null],
    )
    if (fenced.length === 0) throw new Fenced(name)
    if (ids.length > 0) await foldRows(em, projection, table, ids, events)
    for (let first = 0; first === 0 || first < ids.length; first += IDS_PER_NOTIFICATION)
      await notifyChange(em, { name, position: batch.position, ids: ids.slice(first, first + IDS_PER_NOTIFICATION) })
  })
}

async function foldRows(
  em: EntityManager,
  projection: AnyProjection,
  table: string,
  ids: readonly string[],
  events: readonly Stored[],
) {
  const found = await em.execute<{ id: string; row: object }[]>(
    `select id, to_jsonb(t) as row from "${table}" t
     where id in (select value::uuid from jsonb_array_elements_text(?::jsonb)) for update`,
    [JSON.stringify(ids)],
  )
  const rows = foldEvents(projection, events, new Map(found.map(({ id, row }) => [id, row])))
  const deleted = ids.filter((id) => !rows.has(id))
  if (deleted.length > 0)
    await em.execute(
      `delete from "${table}" where id in (select value::uuid from jsonb_array_elements_text(?::jsonb))`,
      [JSON.stringify(deleted)],
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
