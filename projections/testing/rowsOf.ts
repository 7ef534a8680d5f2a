import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { type AnyProjection, foldEvent, isRelevant, rowIdOf } from '../engine/projection.ts'

/**
 * Returns the rows that a projection folds from events, without a database. Events without a revision are those of their
 * users' streams from the first one on.
 */
export function rowsOf(projection: AnyProjection, ...events: readonly Event[]): object[] {
  const rows = new Map<string, object>()
  const revisions = new Map<unknown, number>()
  for (const given of events as readonly Stored[]) {
    const { userId } = given.data as { userId?: string }
    const revision = given.revision ?? revisions.get(userId) ?? 0
    revisions.set(userId, revision + 1)
    const event = { ...given, revision }
    if (!isRelevant(projection, event)) continue
    const id = rowIdOf(projection, event)
    const row = foldEvent(projection, rows.get(id), event)
    if (row) rows.set(id, row)
    else rows.delete(id)
  }
  return [...rows.values()]
}

/** Formats instants as Postgres does. */
export const asPostgres = (rows: readonly object[]) =>
  rows
    .map((row) => JSON.parse(JSON.stringify(row).replaceAll('.000Z"', '+00:00"')) as { id: string })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
