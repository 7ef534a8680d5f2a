import { hash } from 'node:crypto'

type Hashed = Readonly<{ stream: string; revision: number; id: string; type: string; data: unknown; meta: unknown }>

/**
 * Returns JSON with keys sorted at every depth, because jsonb does not preserve key order. Based on RFC 8785.
 * Audits spend most of their time here: `JSON.stringify` on a sorted copy is three times faster than `printed`.
 * @example canonicalJson({ b: 1, a: [2] }) // '{"a":[2],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  const copy = sorted(value)
  return copy === unsortable ? printed(value) : (JSON.stringify(copy) ?? 'null')
}

/** Marks values that cannot be copied with sorted keys: integer keys ignore insertion order; `__proto__` is not set. */
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

/** Uses insertion sort, which is fast for the few keys of an object. */
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

/** Returns the canonical JSON to hash. The metadata of a hash-chained event includes the previous event's hash. */
export function hashedText({ stream, revision, id, type, data, meta }: Hashed): string {
  const [sortedData, sortedMeta] = [sorted(data), sorted(meta)]
  if (sortedData === unsortable || sortedMeta === unsortable) return printed({ stream, revision, id, type, data, meta })
  return JSON.stringify({ data: sortedData, id, meta: sortedMeta, revision, stream, type })
}

/** Returns the SHA-256 of an event's {@link hashedText} in hex. @example eventHash(stored) */
export const eventHash = (event: Hashed): string => textHash(hashedText(event))

/** Returns the SHA-256 of a text (UTF-8) in hex. */
export const textHash = (text: string): string => hash('sha256', text)

/** Returns the `previousHash` of the first event in a hash-chained stream. */
export const chainStart = (stream: string): string => textHash(stream)

/**
 * Returns a deterministic UUID (version 8, RFC 9562) for the given parts.
 * @example derivedId('chain', stream)
 */
export function derivedId(...parts: readonly (string | number)[]): string {
  const hex = textHash(JSON.stringify(parts))
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
