import type { EventBatch, GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { changesOf, upsertSql } from './applyEvents.ts'
import { type Folded, foldOrPark, type Keyed, keyEvents, type Parked, rowIdsOf } from './foldOrPark.ts'
import { parkEvents, staleKeysOf } from './parkedEvents.ts'
import { identityOf } from './projectBatch.ts'
import type { Database } from './query.ts'
import type { Target } from './readModel.ts'
import { inTransaction, type Transaction } from './transaction.ts'

/** A batch of events to write into a read model whose checkpoint is at `from`. */
export interface Write {
  readonly target: Target
  readonly batch: EventBatch
  readonly from: GlobalPosition | undefined
}

type Part = Write & {
  readonly events: readonly Keyed[]
  readonly ids: readonly string[]
}
type Change = Write & Folded

/**
 * Folds batches into the rows of several read models, and writes them with their checkpoints in one transaction. Returns
 * the parked events of each batch that was written; without those whose checkpoint is locked or was moved.
 * @throws if a row is rejected; nothing was written then
 */
export function projectTogether<W extends Write>(
  database: Database,
  writes: readonly W[],
): Promise<ReadonlyMap<Write, readonly Parked[]>> {
  return inTransaction(database, async (tx) => {
    // In one order, so that few statements are prepared.
    const all = writes.toSorted((a, b) => (a.target.name < b.target.name ? -1 : 1)).map(partOf)
    // The rows are read by a statement that begins after the checkpoints are locked.
    const [moved, { rows, stale }] = await Promise.all([moveCheckpoints(tx, writes), readRows(tx, all)])
    const parts = all.filter(({ part }) => moved.has(part.target.name))
    if (parts.length === 0) return new Map()
    const changes = parts.map(({ write, part }) => {
      const { projection, name, table } = part.target
      const keys = stale.get(name) ?? new Set()
      return { write, change: { ...part, ...foldOrPark(projection, part.events, rows.get(table) ?? new Map(), keys) } }
    })
    writeRows(
      tx,
      changes.map(({ change }) => change),
    )
    for (const { change } of changes) parkEvents(tx, change.target.name, change.parked, change.from)
    return new Map(changes.map(({ write, change }) => [write, change.parked]))
  })
}

function partOf<W extends Write>(write: W): { write: W; part: Part } {
  const { target, batch, from } = write
  const events = keyEvents(target.projection, batch.events)
  return { write, part: { target, batch, from, events, ids: rowIdsOf(events) } }
}

/** Moves the checkpoints that are free and still where their batches begin. Returns the names of their read models. */
async function moveCheckpoints(tx: Transaction, writes: readonly Write[]): Promise<ReadonlySet<string>> {
  const fences = writes.map(({ target: { name, projection }, batch, from }) => {
    const seen = batch.events.at(-1)
    return { name, version: projection.version, from, to: batch.position, seen: seen && identityOf(seen) }
  })
  // Waiting for one checkpoint, for example during the last step of its rebuild, would delay all read models.
  const moved = await tx.execute<{ name: string }>(
    `with free as materialized (
       select c.name, f."to", f.seen from projection_checkpoint c
       join jsonb_to_recordset(?::jsonb) f (name text, version int, "from" text, "to" text, seen jsonb)
         on c.name = f.name and c.version = f.version and c.position is not distinct from f."from"
       for update of c skip locked)
     update projection_checkpoint c
     set position = free."to", last_event = coalesce(free.seen, c.last_event), updated_at = now()
     from free where c.name = free.name returning c.name`,
    [JSON.stringify(fences)],
  )
  return new Set(moved.map(({ name }) => name))
}

/**
 * Returns the rows of the parts by table and id, and the stale keys by read model. No lock is needed: other writers of
 * these tables lock the checkpoint first.
 */
async function readRows(tx: Transaction, parts: readonly { part: Part }[]) {
  const touched = parts.filter(({ part }) => part.ids.length > 0)
  const selects = touched.map(
    ({ part: { target } }) =>
      `select '${target.table}' as source, t.id::text as key, to_json(t) as row from "${target.table}" t where t.id = any(?::uuid[])`,
  )
  const wanted = parts.flatMap(({ part: { target, events } }) => {
    if (events.length === 0) return []
    return { projection: target.name, before: events[0]!.event.position, keys: staleKeysOf(target.projection, events) }
  })
  const rows = new Map<string, Map<string, object>>()
  const stale = new Map<string, Set<string>>()
  if (wanted.length === 0) return { rows, stale }
  const found = await tx.execute<{ source: string; key: string; row: object | null }>(
    [
      ...selects,
      `select p.projection as source, p.row_key as key, null::json as row
       from jsonb_to_recordset(?::jsonb) w (projection text, before text, keys jsonb)
       join parked_event p on p.projection = w.projection and p.position < w.before and jsonb_exists(w.keys, p.row_key)
       group by p.projection, p.row_key`,
    ].join(' union all '),
    [...touched.map(({ part }) => `{${part.ids}}`), JSON.stringify(wanted)],
  )
  for (const { source, key, row } of found)
    if (row) rows.set(source, (rows.get(source) ?? new Map()).set(key, row))
    else stale.set(source, (stale.get(source) ?? new Set()).add(key))
  return { rows, stale }
}

/** Writes the changed rows of all tables and notifies listeners in one statement. */
function writeRows(tx: Transaction, changes: readonly Change[]): void {
  const steps: string[] = []
  const values: string[] = []
  for (const { target, changes: rows } of changes) {
    const { table } = target
    const deleted = [...rows].flatMap(([id, row]) => (row ? [] : [id]))
    const kept = [...rows.values()].filter((row) => row !== undefined)
    if (deleted.length > 0) {
      steps.push(`"${table} deleted" as (delete from "${table}" where id = any(?::uuid[]))`)
      values.push(`{${deleted}}`)
    }
    if (kept.length > 0) {
      steps.push(`"${table} kept" as (${upsertSql(table, kept[0]!)})`)
      values.push(JSON.stringify(kept))
    }
  }
  const messages = changes.flatMap(({ target, changes: rows, batch }) =>
    changesOf(target.name, [...rows.keys()], batch.position),
  )
  tx.send(
    `${steps.length > 0 ? `with ${steps.join(', ')} ` : ''}select pg_notify('read_model', value) from jsonb_array_elements_text(?::jsonb)`,
    [...values, JSON.stringify(messages.map((message) => JSON.stringify(message)))],
  )
}
