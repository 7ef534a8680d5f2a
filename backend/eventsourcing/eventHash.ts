import { createHash } from 'node:crypto'

type Hashed = Readonly<{ stream: string; revision: number; id: string; type: string; data: unknown; meta: unknown }>

/**
 * JSON with its keys sorted at every depth, so that a store which reorders keys (jsonb) changes nothing. After RFC 8785.
 * What JSON does not know is left out of an object and null in a list, as a store would have it.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** SHA-256, in hex, of all that an event says: its place, id, type, data and metadata (and so the hash before it). */
export const eventHash = ({ stream, revision, id, type, data, meta }: Hashed): string =>
  sha256(canonicalJson({ stream, revision, id, type, data, meta }))

/** What the first event of a chained stream carries in place of the hash before it. */
export const chainStart = (stream: string): string => sha256(stream)

/** A UUID (version 8, RFC 9562) that is the same for the same parts. */
export function derivedId(...parts: readonly (string | number)[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
