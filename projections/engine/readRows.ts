import type { GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { EventIdentity } from './project.ts'

/** A database connection, through which tools outside the server (audit, backup, drill) read a single snapshot. */
export type Queries = { query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }> }

const PAGE = 5_000

/** Yields every row of a table as returned by `to_json`, ordered by `id`. */
export async function* readRows<Row = object>(client: Queries, table: string) {
  for (let after = '00000000-0000-0000-0000-000000000000', first = true; ; first = false) {
    const { rows } = await client.query(
      `select id, to_json(t) as row from "${table}" t where ${first ? 'id >= $1' : 'id > $1'} order by id limit ${PAGE}`,
      [after],
    )
    const page = rows as { id: string; row: Row }[]
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1)!.id
  }
}

type NamedCheckpoint = Readonly<{
  name: string
  version: number
  position: GlobalPosition | null
  /** Last event that the projection has seen. */
  lastEvent: EventIdentity | null
  /** When the projection was last at the head of the log. */
  liveAt: Date | null
}>

/** Returns the checkpoints of all read models, including those being rebuilt, ordered by name. */
export async function readCheckpoints(client: Queries): Promise<NamedCheckpoint[]> {
  const { rows } = await client.query(
    'select name, version, position, last_event as "lastEvent", live_at as "liveAt" from projection_checkpoint order by name',
  )
  return rows as NamedCheckpoint[]
}
