import type { EventBatch, GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { type AnyProjection, applied } from './projection.ts'
import { type Database, writeBatch } from './readModel.ts'

/** The streams a projection reads. */
export const prefixes = (projection: AnyProjection): [string, ...string[]] =>
  projection.categories.map((category) => `${category}-`) as [string, ...string[]]

/** Whether a batch holds an event that the projection knows. */
export const concerns = (projection: AnyProjection, { events }: EventBatch): boolean =>
  events.some(({ type }) => type in projection.on)

/** Folds a batch into the rows it touches and writes them with the checkpoint, in one transaction. */
export function project(
  projection: AnyProjection,
  database: Database,
  batch: EventBatch,
  from: GlobalPosition | undefined,
  table?: string,
): Promise<void> {
  const known = batch.events.filter(({ type }) => type in projection.on)
  const ids = [...new Set(known.map((event) => projection.row(event)))]
  return writeBatch(database, projection, { ids, from, to: batch.position, table }, (rows) => {
    for (const event of known) {
      const id = projection.row(event)
      const row = applied(projection, rows.get(id), event)
      if (row) rows.set(id, row)
      else rows.delete(id)
    }
  })
}
