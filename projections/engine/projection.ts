import type { EntitySchema, InferEntity } from '@mikro-orm/core'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'

type Json<T> = T extends Date ? string : T extends undefined ? never : T

/** A table row as returned by `to_jsonb`, with instants as ISO strings. */
export type RowOf<Table> = {
  [Column in keyof InferEntity<Table> & string]-?: Json<InferEntity<Table>[Column]>
}

/** A read model, in which each event changes at most one row. */
export type Projection<E extends Event, Row extends object> = Readonly<{
  name: string
  /** Increase it when the same events would produce different rows. The table is then rebuilt from the log. */
  version: number
  table: EntitySchema
  /** Returns the primary key, a UUID in the column `id`. */
  row: (event: Stored<E>) => string
  /** Categories of the streams that the projection reads. */
  categories: readonly [string, ...string[]]
  /** Handlers by event type. Each returns the changed row, or undefined to delete it. */
  on: { readonly [T in E['type']]: (row: Row | undefined, event: Stored<Extract<E, { type: T }>>) => Row | undefined }
}>

// biome-ignore lint/suspicious/noExplicitAny: a list holds projections of every event and row type
export type AnyProjection = Projection<any, any>

/** Returns the stream prefixes that a projection subscribes to. */
export const streamPrefixesOf = ({ categories }: AnyProjection) =>
  categories.map((category) => `${category}-`) as [string, ...string[]]

/** Folds events into rows by id. Skips events that the projection does not handle. */
export function foldEvents(projection: AnyProjection, events: readonly Event[], rows = new Map<string, object>()) {
  for (const event of events as readonly Stored[]) {
    const handler = projection.on[event.type]
    if (!handler) continue
    const id = projection.row(event)
    const row = handler(rows.get(id), event)
    if (row) rows.set(id, row)
    else rows.delete(id)
  }
  return rows
}
