import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { type AnyProjection, applied } from '../engine/projection.ts'

/** The rows that events make, by a projection alone: no database, no batches. */
export function rowsOf(projection: AnyProjection, ...events: readonly Event[]): object[] {
  const rows = new Map<string, object>()
  for (const event of events) {
    if (!(event.type in projection.on)) continue
    const id = projection.row(event)
    const row = applied(projection, rows.get(id), event)
    if (row) rows.set(id, row)
    else rows.delete(id)
  }
  return [...rows.values()]
}
