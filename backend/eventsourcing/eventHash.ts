import { createHash, hash } from 'node:crypto'

type Hashed = Readonly<{ stream: string; revision: number; id: string; type: string; data: unknown; meta: unknown }>

/**
 * JSON with its keys sorted at every depth, so that a store which reorders keys (jsonb) changes nothing. After RFC 8785.
 * What JSON does not know is left out of an object and null in a list, as a store would have it. Written as loops: an audit
 * spends most of its time here.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) {
    let text = '['
    for (let index = 0; index < value.length; index++) text += (index > 0 ? ',' : '') + canonicalJson(value[index])
    return `${text}]`
  }
  let text = ''
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${text}}`
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
