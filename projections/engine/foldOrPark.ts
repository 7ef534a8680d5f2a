import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { type AnyProjection, foldEvent, isRelevant, rowIdOf } from './projection.ts'

/** An event that a read model does not contain yet. */
export interface Parked {
  readonly event: Stored
  /** Id of the stale row, or the event's stream if the row is unknown. */
  readonly row: string
  /** Undefined if the event only follows another parked event of its row. */
  readonly error?: unknown
}

export interface Folded {
  /** Changed rows by id; undefined if deleted. */
  readonly changes: ReadonlyMap<string, object | undefined>
  readonly parked: readonly Parked[]
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function checkedRowId(projection: AnyProjection, event: Stored): string {
  const id: unknown = rowIdOf(projection, event)
  if (typeof id !== 'string' || !UUID.test(id)) throw new TypeError('The row id of the event is not a UUID')
  return id
}

/** Returns the key under which an event is parked: the id of its row, or its stream if the row cannot be determined. */
export function rowKeyOf(projection: AnyProjection, event: Stored): string {
  try {
    return checkedRowId(projection, event)
  } catch {
    return event.stream
  }
}

/**
 * Folds events into rows. An event whose handler throws or that no context declares is parked, and so are the later events
 * of its row: the row keeps its last complete state. Events of other rows are not affected. Skips declared events that the
 * projection does not handle.
 * @param rows current rows by id
 * @param stale keys of earlier parked events
 */
export function foldOrPark(
  projection: AnyProjection,
  events: readonly Stored[],
  rows: ReadonlyMap<string, object>,
  stale: ReadonlySet<string>,
): Folded {
  const changes = new Map<string, object | undefined>()
  const parked: Parked[] = []
  const blocked = new Set(stale)
  for (const event of events) {
    if (!isRelevant(projection, event)) continue
    const key = blocked.has(event.stream) ? event.stream : rowKeyOf(projection, event)
    if (blocked.has(key)) {
      parked.push({ event, row: key })
      continue
    }
    try {
      const id = checkedRowId(projection, event)
      changes.set(id, foldEvent(projection, changes.has(id) ? changes.get(id) : rows.get(id), event))
    } catch (error) {
      blocked.add(key)
      parked.push({ event, row: key, error })
    }
  }
  return { changes, parked }
}
