import type { EntitySchema, InferEntity } from '@mikro-orm/core'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { type EventSchemas, isDeclared, upcast } from '#backend/kernel/eventsourcing/pure/eventSchemas.ts'

type Json<T> = T extends Date ? string : T extends undefined ? never : T

/** A table row as returned by `to_json`, with instants as ISO strings. */
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
  /** The event types of these streams. */
  schemas: EventSchemas
  /**
   * Handlers by event type. Each returns the changed row, or undefined to delete it. `stored` is the event before it was
   * upcast; hashes cover that form.
   */
  on: {
    readonly [T in E['type']]: (
      row: Row | undefined,
      event: Stored<Extract<E, { type: T }>>,
      stored: Stored,
    ) => Row | undefined
  }
}>

// biome-ignore lint/suspicious/noExplicitAny: a list holds projections of every event and row type
export type AnyProjection = Projection<any, any>

/** Returns the prefixes of the streams that a projection reads. */
export const streamPrefixesOf = ({ categories }: AnyProjection) =>
  categories.map((category) => `${category}-`) as [string, ...string[]]

/** Returns whether a projection handles an event, or must not skip it because no context declares its type. */
export const isRelevant = ({ on, schemas }: AnyProjection, { type }: Event): boolean =>
  Object.hasOwn(on, type) || !isDeclared(schemas, type)

/** Returns whether the stream of an event belongs to one of a projection's categories. */
export const isOwn = ({ categories }: AnyProjection, { stream }: Stored): boolean =>
  categories.some((category) => stream[category.length] === '-' && stream.startsWith(category))

/** Returns the id of an event's row. @throws UnknownEvent */
export const rowIdOf = ({ row, schemas }: AnyProjection, stored: Stored): string => row(upcast(schemas, stored))

/** Returns an event's row after the event, or undefined if it is deleted. @throws UnknownEvent */
export const foldEvent = (
  { on, schemas }: AnyProjection,
  row: object | undefined,
  stored: Stored,
): object | undefined => {
  const event = upcast(schemas, stored)
  return on[event.type]!(row, event, stored)
}
