import type { GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Transaction } from '#backend/kernel/postgres/transaction.ts'
import { type Keyed, keysOf, type Parked } from './foldOrPark.ts'
import type { AnyProjection } from './projection.ts'
import type { Target } from './readModel.ts'

export interface ProjectionLog {
  info(detail: object, message: string): void
  error(detail: object, message: string): void
}

const MAX_ERROR_LENGTH = 300

/** Logs the events that made a row stale, but not those that follow them. */
export function logParked(log: ProjectionLog, projection: string, parked: readonly Parked[]): void {
  for (const { event, error } of parked)
    if (error !== undefined) {
      const { stream, type, position } = event
      log.error(
        { reason: errorText(error), projection, stream, type, position },
        'event cannot be projected and is parked',
      )
    }
}

/** Returns an error as text that Postgres can store, without the values of the rejected row, which follow in new lines. */
function errorText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text.replace(/\n.*/s, '').replaceAll('\0', '').slice(0, MAX_ERROR_LENGTH).toWellFormed()
}

/** Returns which rows and streams of events have a parked event before them. */
export async function readStaleKeys(
  tx: Transaction,
  { name, projection }: Pick<Target, 'name' | 'projection'>,
  events: readonly Keyed[],
): Promise<Set<string>> {
  if (events.length === 0) return new Set()
  const before = [name, events[0]!.event.position]
  // Almost always none, so the keys, which are many, are not sent.
  const [any] = await tx.query('select from parked_event where projection = $1 and position < $2 limit 1', before)
  if (!any) return new Set()
  const found = await tx.query<{ row_key: string }>(
    `select distinct row_key from parked_event where projection = $1 and position < $2
       and row_key in (select value from jsonb_array_elements_text($3::jsonb))`,
    [...before, JSON.stringify(staleKeysOf(projection, events))],
  )
  return new Set(found.map(({ row_key }) => row_key))
}

/** Returns the keys under which earlier events of the same rows may be parked. */
export const staleKeysOf = (projection: AnyProjection, events: readonly Keyed[]): readonly string[] => [
  ...new Set(events.flatMap((event) => keysOf(projection, event))),
]

/** Stores parked events, with the checkpoint of the read model before their batch. */
export function parkEvents(
  tx: Transaction,
  name: string,
  parked: readonly Parked[],
  checkpoint: GlobalPosition | undefined,
): void {
  if (parked.length === 0) return
  const rows = parked.map(({ event: { id, position, stream, revision, type }, row, error }) => ({
    ...{ projection: name, event_id: id, position, row_key: row, stream, revision, type },
    error: error === undefined ? null : errorText(error),
    checkpoint: checkpoint ?? null,
  }))
  tx.send(
    `insert into parked_event (projection, event_id, position, row_key, stream, revision, type, error, checkpoint)
     select projection, event_id, position, row_key, stream, revision, type, error, checkpoint
     from jsonb_populate_recordset(null::parked_event, $1::jsonb)`,
    [JSON.stringify(rows)],
  )
}
