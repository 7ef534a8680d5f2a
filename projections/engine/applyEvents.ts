import type { GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { type Folded, foldOrPark, keyEvents, type Parked, rowIdsOf } from './foldOrPark.ts'
import { parkEvents, readStaleKeys } from './parkedEvents.ts'
import { type Change, notifyChanges, type Target } from './readModel.ts'
import type { Transaction } from './transaction.ts'

/** Postgres limits the payload of a notification to 8,000 bytes. */
const IDS_PER_NOTIFICATION = 100

interface Application {
  /** Checkpoint before the events. */
  readonly from: GlobalPosition | undefined
  /** Checkpoint to announce to listeners. */
  readonly position?: GlobalPosition
  /** Postgres's reason for rejecting the row of the only event, which is then parked. */
  readonly rejection?: unknown
}

/**
 * Folds events into their rows, parks those that cannot be folded, and notifies listeners. The transaction must hold the
 * lock on the checkpoint.
 */
export async function applyEvents(
  tx: Transaction,
  { projection, name, table }: Target,
  events: readonly Stored[],
  { from, position, rejection }: Application,
): Promise<readonly Parked[]> {
  const keyed = keyEvents(projection, events)
  const folded: Folded =
    rejection === undefined
      ? foldOrPark(projection, keyed, await loadRows(tx, table, rowIdsOf(keyed)), await readStaleKeys(tx, name, keyed))
      : { changes: new Map(), parked: keyed.map((event) => ({ ...event, error: rejection })) }
  await writeRows(tx, table, folded.changes)
  await parkEvents(tx, name, folded.parked, from)
  await notifyChanges(tx, changesOf(name, [...folded.changes.keys()], position))
  return folded.parked
}

/** Returns the notifications of changed rows; one without rows if none has changed. */
export function changesOf(name: string, changed: readonly string[], position: GlobalPosition | undefined): Change[] {
  const parts = Math.max(1, Math.ceil(changed.length / IDS_PER_NOTIFICATION))
  return Array.from({ length: parts }, (_, part) => {
    const ids = changed.slice(part * IDS_PER_NOTIFICATION, (part + 1) * IDS_PER_NOTIFICATION)
    return { name, ids, ...(position && { position }) }
  })
}

/** Returns rows by id, without locks: other writers of the table lock the checkpoint first. */
async function loadRows(tx: Transaction, table: string, ids: readonly string[]): Promise<Map<string, object>> {
  if (ids.length === 0) return new Map()
  const found = await tx.execute<{ id: string; row: object }>(
    `select id, to_jsonb(t) as row from "${table}" t where id = any(?::uuid[])`,
    [`{${ids}}`],
  )
  return new Map(found.map(({ id, row }) => [id, row]))
}

async function writeRows(tx: Transaction, table: string, changes: Folded['changes']): Promise<void> {
  const deleted = [...changes].flatMap(([id, row]) => (row ? [] : [id]))
  if (deleted.length > 0) await tx.execute(`delete from "${table}" where id = any(?::uuid[])`, [`{${deleted}}`])
  const kept = [...changes.values()].filter((row) => row !== undefined)
  if (kept.length === 0) return
  await tx.execute(upsertSql(table, kept[0]!), [JSON.stringify(kept)])
}

/** Returns a statement that inserts or replaces rows of one shape, given as a JSON array. */
export function upsertSql(table: string, row: object): string {
  // In one order, whether the row was read or made, so that the statement is prepared once.
  const columns = Object.keys(row)
    .toSorted()
    .map((column) => `"${column}"`)
  return `insert into "${table}" (${columns}) select ${columns} from jsonb_populate_recordset(null::"${table}", ?::jsonb)
     on conflict (id) do update set (${columns}) = row(${columns.map((column) => `excluded.${column}`)})`
}
