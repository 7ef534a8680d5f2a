import type { EntitySchema } from '@mikro-orm/core'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'

/**
 * A read model: how each event changes the one row it concerns. Rows are what `to_jsonb` makes of the table's rows, so
 * instants are ISO strings; a handler that answers undefined removes the row.
 */
export type Projection<E extends Event, Row extends object> = Readonly<{
  name: string
  /** Raised when rows would come out differently: the table is then built anew from the log. */
  version: number
  table: EntitySchema
  /** The table's primary key; its column is `id`. */
  row: (event: Stored<E>) => string
  /** Categories of the streams it reads. */
  categories: readonly [string, ...string[]]
  on: { readonly [T in E['type']]: (row: Row | undefined, event: Stored<Extract<E, { type: T }>>) => Row | undefined }
}>

// biome-ignore lint/suspicious/noExplicitAny: a list holds projections of every event and row type
export type AnyProjection = Projection<any, any>

/** Folds one event into its row; an event the projection does not know leaves the row as it is. */
export function applied(projection: AnyProjection, row: object | undefined, event: Event): object | undefined {
  const handler = projection.on[event.type]
  return handler ? handler(row, event) : row
}
