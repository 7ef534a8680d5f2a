import type { GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { type Folded, foldOrPark, keyEvents, type Parked, rowIdsOf } from './foldOrPark.ts'
import { parkEvents, readStaleKeys } from './parkedEvents.ts'
import { type Change, notification, type Target } from './readModel.ts'
import type { Transaction } from './transaction.ts'

/** Postgres limits the payload of a notification to 8,000 bytes. */
const IDS_PER_NOTIFICATION = 100

interface Application {
  /** Resolves when the transaction holds the lock on the checkpoint; without it, the transaction does already. */
  readonly lock?: Promise<unknown>
  /** Checkpoint before the events. */
  readonly from: GlobalPosition | undefined
  /** Checkpoint to announce to listeners. */
  readonly position?: GlobalPosition
  /** Postgres's reason for rejecting the row of the only event, which is then parked. */
  readonly rejection?: unknown
}

/**
 * Folds events into their rows, parks those that cannot be folded, and notifies listeners. Rows are read by statements
 * that begin after the one that takes the lock.
 */
export async function applyEvents(
  tx: Transaction,
  { projection, name, table }: Target,
  events: readonly Stored[],
  { lock, from, position, rejection }: Application,
): Promise<readonly Parked[]> {
  const keyed = keyEvents(projection, events)
  const folded = await fold()
  writeRows(tx, table, folded.changes)
  parkEvents(tx, name, folded.parked, from)
  tx.send(...notification(changesOf(name, [...folded.changes.keys()], position)))
  return folded.parked

  async function fold(): Promise<Folded> {
    if (rejection === undefined) {
      const reads = [loadRows(tx, table, rowIdsOf(keyed)), readStaleKeys(tx, { name, projection }, keyed)] as const
      const [, rows, stale] = await Promise.all([lock, ...reads])
      return foldOrPark(projection, keyed, rows, stale)
    }
    await lock
    return { changes: new Map(), parked: keyed.map((event) => ({ ...event, error: rejection })) }
  }
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
    `select id, to_json(t) as row from "${table}" t where id = any(?::uuid[])`,
    [`{${ids}}`],
  )
  return new Map(found.map(({ id, row }) => [id, row]))
}

function writeRows(tx: Transaction, table: string, changes: Folded['changes']): void {
  const deleted = [...changes].flatMap(([id, row]) => (row ? [] : [id]))
  if (deleted.length > 0) tx.send(`delete from "${table}" where id = any(?::uuid[])`, [`{${deleted}}`])
  const kept = [...changes.values()].filter((row) => row !== undefined)
  if (kept.length > 0) tx.send(upsertSql(table, kept[0]!), [JSON.stringify(kept)])
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
