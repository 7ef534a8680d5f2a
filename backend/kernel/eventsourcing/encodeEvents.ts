import type { NewEvent } from './eventStore.port.ts'

/** EventStoreDB rejects appends above 1 MiB, so every store enforces this limit. */
const MAX_APPEND_BYTES = 1_000_000

/** An event with data and metadata serialised as JSON that every store accepts. */
export interface EncodedEvent {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly meta: string
  /** Approximate size on the wire. */
  readonly bytes: number
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Matches each escape sequence of JSON text, and captures a NUL or lone surrogate, which Postgres rejects in jsonb. */
const escapes = /\\(?:(u0000|ud[89a-f])|.)/gi
const isUnstorable = (json: string) =>
  json.includes('\\u') && json.matchAll(escapes).some(([, unstorable]) => unstorable !== undefined)

/**
 * Validates and encodes the events of one append, so that every store rejects the same input with the same errors.
 * @throws TypeError an event cannot be stored
 * @throws RangeError the append is empty or too large
 * @example const [{ data }] = encodeEvents('videoTask-1', [{ id: uuid7(), type: 'VideoTaskStarted', data: {} }])
 */
export function encodeEvents(stream: string, events: readonly NewEvent[]): readonly EncodedEvent[] {
  if (stream === '' || stream.startsWith('$')) throw new TypeError(`"${stream}" is not a valid stream name`)
  if (events.length === 0) throw new RangeError(`${stream}: nothing to append`)
  const encoded = events.map((event) => encode(stream, event))
  if (new Set(encoded.map(({ id }) => id)).size < encoded.length) throw new TypeError(`${stream}: duplicate event id`)
  const bytes = encoded.reduce((sum, event) => sum + event.bytes, 0)
  if (bytes > MAX_APPEND_BYTES) {
    throw new RangeError(`${stream}: ${bytes} bytes in one append, the limit is ${MAX_APPEND_BYTES}`)
  }
  return encoded
}

function encode(stream: string, { id, type, data, meta = {} }: NewEvent): EncodedEvent {
  const name = `${stream}: ${type} ${id}`
  if (!uuid.test(id)) throw new TypeError(`${name}: the id is not a UUID`)
  if (type === '' || type.startsWith('$')) throw new TypeError(`${name}: the type is not valid`)
  const json = { data: toJson(name, data), meta: toJson(name, meta) }
  const bytes = Buffer.byteLength(json.data) + Buffer.byteLength(json.meta) + 2 * type.length + 64
  return { id: id.toLowerCase(), type, ...json, bytes }
}

function toJson(name: string, value: unknown): string {
  const text = JSON.stringify(value)
  if (!text?.startsWith('{')) throw new TypeError(`${name}: data and metadata must be JSON objects`)
  if (isUnstorable(text)) throw new TypeError(`${name}: contains a NUL character or a lone surrogate`)
  return text
}
