import type { GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { notifySql, payloadsOf } from '#backend/kernel/postgres/notify.ts'
import type { Transaction } from '#backend/kernel/postgres/transaction.ts'
import { type Folded, foldOrPark, type Keyed, keyEvents, type Parked, rowIdsOf } from './foldOrPark.ts'
import { parkEvents, readStaleKeys } from './parkedEvents.ts'
import type { Target } from './readModel.ts'

/** Events to fold into the rows of a read model. */
export interface Write {
  readonly target: Target
  /** Those that the read model handles, in log order. */
  readonly events: readonly Stored[]
  /** Checkpoint before the events. */
  readonly from: GlobalPosition | undefined
  /** Checkpoint to announce to listeners. */
  readonly to?: GlobalPosition
  /** Postgres's reason for rejecting the row of the only event, which is then parked. */
  readonly rejection?: unknown
}

/** Parked events of each write. */
export type Written<W extends Write = Write> = ReadonlyMap<W, readonly Parked[]>

interface Part<W extends Write> extends Target {
  readonly write: W
  readonly keyed: readonly Keyed[]
  readonly ids: readonly string[]
}
type Result<W extends Write> = Part<W> & Folded

/** Rows by table and id, and keys of parked events by read model. */
interface Current {
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, object>>
  readonly stale: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * Folds events into their rows, parks those that cannot be folded, and notifies listeners.
 * @param lock resolves with the names of the read models whose checkpoints the transaction has locked. Rows are read by a
 * statement that begins after that, and need no lock: other writers of these tables lock the checkpoint first
 */
export async function applyWrites<W extends Write>(
  tx: Transaction,
  writes: readonly W[],
  lock: Promise<ReadonlySet<string>>,
): Promise<Written<W>> {
  // In one order, so that few statements are prepared.
  const parts = writes.map(partOf).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const [locked, current] = await Promise.all([lock, readCurrent(tx, parts)])
  const results = parts.filter(({ name }) => locked.has(name)).map((part) => ({ ...part, ...fold(part, current) }))
  if (results.length > 0) writeRows(tx, results)
  for (const { name, parked, write } of results) parkEvents(tx, name, parked, write.from)
  return new Map(results.map(({ write, parked }) => [write, parked]))
}

function partOf<W extends Write>(write: W): Part<W> {
  const keyed = keyEvents(write.target.projection, write.events)
  return { ...write.target, write, keyed, ids: write.rejection === undefined ? rowIdsOf(keyed) : [] }
}

function fold({ write, keyed, projection, name, table }: Part<Write>, { rows, stale }: Current): Folded {
  const { rejection: error } = write
  if (error !== undefined) return { changes: new Map(), parked: keyed.map((event) => ({ ...event, error })) }
  return foldOrPark(projection, keyed, rows.get(table) ?? new Map(), stale.get(name) ?? new Set())
}

async function readCurrent(tx: Transaction, parts: readonly Part<Write>[]): Promise<Current> {
  const rows = new Map<string, Map<string, object>>()
  const stale = new Map<string, ReadonlySet<string>>()
  const touched = parts.filter(({ ids }) => ids.length > 0)
  const selects = touched.map(
    ({ table }, n) =>
      `select '${table}' as source, t.id::text as key, to_json(t) as row from "${table}" t where t.id = any($${n + 1}::uuid[])`,
  )
  const begins = parts.flatMap(({ name, keyed: [first] }) => (first ? [{ name, before: first.event.position }] : []))
  if (begins.length === 0) return { rows, stale }
  const found = await tx.query<{ source: string; key: string; row: object | null }>(
    [
      ...selects,
      `select b.name as source, null as key, null as row from jsonb_to_recordset($${touched.length + 1}::jsonb) b (name text, before text)
       where exists (select from parked_event where projection = b.name and position < b.before)`,
    ].join(' union all '),
    [...touched.map(({ ids }) => `{${ids}}`), JSON.stringify(begins)],
  )
  for (const { source, key, row } of found)
    if (row) rows.set(source, (rows.get(source) ?? new Map()).set(key, row))
    else stale.set(source, new Set())
  // Almost always none, so the keys of the events, which are many, are not sent before.
  for (const { name, projection, keyed } of parts)
    if (stale.has(name)) stale.set(name, await readStaleKeys(tx, { name, projection }, keyed))
  return { rows, stale }
}

/** Writes the changed rows of all tables and notifies listeners, in one statement. */
function writeRows(tx: Transaction, results: readonly Result<Write>[]): void {
  const steps: string[] = []
  const values: string[] = []
  for (const { table, changes } of results) {
    const deleted = [...changes].flatMap(([id, row]) => (row ? [] : [id]))
    const kept = [...changes.values()].filter((row) => row !== undefined)
    if (deleted.length > 0) {
      values.push(`{${deleted}}`)
      steps.push(`"${table} deleted" as (delete from "${table}" where id = any($${values.length}::uuid[]))`)
    }
    if (kept.length > 0) {
      values.push(JSON.stringify(kept))
      steps.push(`"${table} kept" as (${upsertSql(table, kept[0]!, `$${values.length}`)})`)
    }
  }
  const notifications = results.map(({ name, changes, write: { to: position } }) => ({
    ...{ name, ids: [...changes.keys()] },
    ...(position && { position }),
  }))
  values.push(payloadsOf(notifications))
  tx.send(`${steps.length > 0 ? `with ${steps.join(', ')} ` : ''}${notifySql(`$${values.length}`)}`, values)
}

/** Returns a statement that inserts or replaces rows of one shape. @param rows placeholder of their JSON array */
function upsertSql(table: string, row: object, rows: string): string {
  // In one order, whether the row was read or made, so that the statement is prepared once.
  const columns = Object.keys(row)
    .toSorted()
    .map((column) => `"${column}"`)
  return `insert into "${table}" (${columns}) select ${columns} from jsonb_populate_recordset(null::"${table}", ${rows}::jsonb)
     on conflict (id) do update set (${columns}) = row(${columns.map((column) => `excluded.${column}`)})`
}
