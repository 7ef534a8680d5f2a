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

/** An event and the id of its row, or its stream and the error if the row cannot be determined. */
export type Keyed = Parked

/** Returns the events that a projection handles, each with its row. */
export const keyEvents = (projection: AnyProjection, events: readonly Stored[]): readonly Keyed[] =>
  events
    .filter((event) => isRelevant(projection, event))
    .map((event) => {
      try {
        return { event, row: checkedRowId(projection, event) }
      } catch (error) {
        return { event, row: event.stream, error }
      }
    })

/**
 * Returns the keys under which earlier events of an event's row may be parked. A row that follows several categories is
 * also stale if an event of its own stream has an unknown row.
 */
export const keysOf = ({ categories }: AnyProjection, { event, row }: Keyed): readonly string[] => [
  event.stream,
  ...(categories.length > 1 ? categories.map((category) => `${category}-${row}`) : []),
  row,
]

/** Returns the ids of the rows that events change. */
export const rowIdsOf = (keyed: readonly Keyed[]): readonly string[] => [
  ...new Set(keyed.flatMap(({ row, error }) => (error === undefined ? [row] : []))),
]

/**
 * Folds events into rows. An event whose handler throws or that no context declares is parked, and so are the later events
 * of its row: the row keeps its last complete state. Events of other rows are not affected.
 * @param rows current rows by id
 * @param stale keys of earlier parked events
 */
export function foldOrPark(
  projection: AnyProjection,
  events: readonly Keyed[],
  rows: ReadonlyMap<string, object>,
  stale: ReadonlySet<string>,
): Folded {
  const changes = new Map<string, object | undefined>()
  const parked: Parked[] = []
  const blocked = new Set(stale)
  for (const keyed of events) {
    const { event, row, error: unknownRow } = keyed
    const staleKey = blocked.size > 0 ? keysOf(projection, keyed).find((key) => blocked.has(key)) : undefined
    if (staleKey !== undefined) {
      parked.push({ event, row: staleKey })
      continue
    }
    try {
      if (unknownRow !== undefined) throw unknownRow
      changes.set(row, foldEvent(projection, changes.has(row) ? changes.get(row) : rows.get(row), event))
    } catch (error) {
      blocked.add(row)
      parked.push({ event, row, error })
    }
  }
  return { changes, parked }
}
