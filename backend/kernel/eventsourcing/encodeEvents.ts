import type { NewEvent } from './eventStore.port.ts'

/** What one append may weigh: EventStoreDB refuses more than 1 MiB, so both stores refuse it. */
export const maxAppendBytes = 1_000_000

/** An event whose data and metadata are known to be JSON that every store takes. */
export interface EncodedEvent {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly meta: string
  /** What it weighs on the wire, about. */
  readonly bytes: number
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** An escaped NUL, or half of a surrogate pair: JSON may hold them, Postgres may not. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i

/**
 * Checks an append before a store sees it, so that both stores refuse the same things in the same words.
 * @throws TypeError something is not storable
 * @throws RangeError nothing to append, or too much of it
 */
export function encodeEvents(stream: string, events: readonly NewEvent[]): readonly EncodedEvent[] {
  if (stream === '' || stream.startsWith('$')) throw new TypeError(`"${stream}" is no name for a stream`)
  if (events.length === 0) throw new RangeError(`${stream}: nothing to append`)
  const encoded = events.map((event) => encode(stream, event))
  if (new Set(encoded.map(({ id }) => id)).size < encoded.length) throw new TypeError(`${stream}: an id comes twice`)
  const bytes = encoded.reduce((sum, event) => sum + event.bytes, 0)
  if (bytes > maxAppendBytes) {
    throw new RangeError(`${stream}: ${bytes} bytes in one append, ${maxAppendBytes} are allowed`)
  }
  return encoded
}

function encode(stream: string, { id, type, data, meta = {} }: NewEvent): EncodedEvent {
  const name = `${stream}: ${type} ${id}`
  if (!uuid.test(id)) throw new TypeError(`${name}: the id is not a UUID`)
  if (type === '' || type.startsWith('$')) throw new TypeError(`${name}: the type is not a name`)
  const json = { data: toJson(name, data), meta: toJson(name, meta) }
  const bytes = Buffer.byteLength(json.data) + Buffer.byteLength(json.meta) + 2 * type.length + 64
  return { id: id.toLowerCase(), type, ...json, bytes }
}

function toJson(name: string, value: unknown): string {
  const text = JSON.stringify(value)
  if (!text?.startsWith('{')) throw new TypeError(`${name}: data and metadata are JSON objects`)
  if (unstorable.test(text)) throw new TypeError(`${name}: a NUL character or half a surrogate pair in its text`)
  return text
}
