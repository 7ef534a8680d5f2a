import { createHash, hash } from 'node:crypto'

type Hashed = Readonly<{ stream: string; revision: number; id: string; type: string; data: unknown; meta: unknown }>

/**
 * JSON with its keys sorted at every depth, so that a store which reorders keys (jsonb) changes nothing. After RFC 8785.
 * What JSON does not know is left out of an object and null in a list, as a store would have it. An audit spends most of its
 * time here: a sorted copy is made and printed by the engine, three times faster than by hand.
 */
export function canonicalJson(value: unknown): string {
  const copy = sorted(value)
  return copy === unsortable ? printed(value) : (JSON.stringify(copy) ?? 'null')
}

/** An object has keys that it would not keep in the order in which they were set, or not keep at all. */
const unsortable = Symbol('unsortable')
const isUnsortable = (key: string) => (key.charCodeAt(0) <= 57 && /^\d/.test(key)) || key === '__proto__'

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const list = value.map(sorted)
    return list.includes(unsortable) ? unsortable : list
  }
  const copy: Record<string, unknown> = {}
  for (const key of sortedKeys(value)) {
    const member = isUnsortable(key) ? unsortable : sorted((value as Record<string, unknown>)[key])
    if (member === unsortable) return unsortable
    copy[key] = member
  }
  return copy
}

/** By insertion: keys are few. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value)
  for (let next = 1; next < keys.length; next++) {
    const key = keys[next]!
    let place = next
    for (; place > 0 && keys[place - 1]! > key; place--) keys[place] = keys[place - 1]!
    keys[place] = key
  }
  return keys
}

function printed(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printed).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${printed(member)}`).join(',')}}`
}

const sha256 = (text: string) => hash('sha256', text)

/** All that an event says: its place, id, type, data and metadata (and so the hash before it). */
export const hashedText = ({ stream, revision, id, type, data, meta }: Hashed): string =>
  canonicalJson({ stream, revision, id, type, data, meta })

/** SHA-256, in hex, of an event's {@link hashedText}, in UTF-8. */
export const eventHash = (event: Hashed): string => sha256(hashedText(event))

/** SHA-256, in hex, of a text in UTF-8. */
export const textHash = sha256

/** What the first event of a chained stream carries in place of the hash before it. */
export const chainStart = (stream: string): string => sha256(stream)

/** A UUID (version 8, RFC 9562) that is the same for the same parts. */
export function derivedId(...parts: readonly (string | number)[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
