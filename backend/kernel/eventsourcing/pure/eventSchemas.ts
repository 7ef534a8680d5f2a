type Json = Readonly<Record<string, unknown>>

/** Converts the data of an event from one schema version to the next. */
export type Upcaster = (data: Json) => object

/**
 * The event types that a context declares, each with its upcasters, oldest first. A type with n upcasters is at schema
 * version n + 1.
 * @example
 * const ROOM_EVENTS = { RoomBooked: [(data) => ({ ...data, guests: 1 })], RoomLeft: [] } satisfies EventSchemas
 */
export type EventSchemas<Type extends string = string> = Readonly<Record<Type, readonly Upcaster[]>>

/** Thrown for an event whose type or schema version is not declared, such as one written by a newer release. */
export class UnknownEvent extends Error {
  override name = 'UnknownEvent'
}

type Written = Readonly<{ type: string; data: object; stream?: string; revision?: number; meta?: Json }>

/** Returns the schema version that events of a declared type are written with. */
export const schemaVersion = <Type extends string>(schemas: EventSchemas<Type>, type: Type): number =>
  schemas[type].length + 1

export const isDeclared = (schemas: EventSchemas, type: string): boolean => Object.hasOwn(schemas, type)

/**
 * Returns an event with its data at the current schema version. Hashes cover the stored form, so hash an event before
 * you upcast it.
 * @throws UnknownEvent
 * @example const { data } = upcast(VIDEO_TASK_EVENTS, stored)
 */
export function upcast<E extends Written>(schemas: EventSchemas, event: E): E {
  const { type, data, stream, revision, meta } = event
  if (!isDeclared(schemas, type)) throw new UnknownEvent(`${stream}, revision ${revision}: unknown event type ${type}`)
  const upcasters = schemas[type]!
  // Events without metadata are older than schema versions.
  const schema = meta?.schema ?? 1
  if (schema === upcasters.length + 1) return event
  if (!Number.isInteger(schema) || Number(schema) < 1 || Number(schema) > upcasters.length)
    throw new UnknownEvent(`${stream}, revision ${revision}: unknown schema version ${schema} of ${type}`)
  const pending = upcasters.slice(Number(schema) - 1)
  return { ...event, data: pending.reduce((older, convert) => convert(older as Json), data) }
}
