import type { EventBatch, GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { type AnyProjection, foldEvents } from './projection.ts'
import { type Database, writeBatch } from './readModel.ts'

/** Returns the stream prefixes that a projection subscribes to. */
export const prefixes = (projection: AnyProjection): [string, ...string[]] =>
  projection.categories.map((category) => `${category}-`) as [string, ...string[]]

/** Whether a batch contains an event that the projection handles. */
export const concerns = (projection: AnyProjection, { events }: EventBatch): boolean =>
  events.some(({ type }) => type in projection.on)

/** Folds a batch into its rows and writes them with the checkpoint in one transaction. @throws Fenced */
export function projectBatch(
  projection: AnyProjection,
  database: Database,
  batch: EventBatch,
  from: GlobalPosition | undefined,
  table?: string,
): Promise<void> {
  const known = batch.events.filter(({ type }) => type in projection.on)
  const ids = [...new Set(known.map((event) => projection.row(event)))]
  return writeBatch(database, projection, { ids, from, to: batch.position, table }, (rows) =>
    foldEvents(projection, known, rows),
  )
}
