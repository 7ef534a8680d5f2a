import { randomBytes } from 'node:crypto'

/** A UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then randomness, so that ids sort by the time they were made. */
export function uuid7(at = Date.now()): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(at, 0, 6)
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Whether a text is a UUID of any version, in the form that Kinora writes: what the database would take for one. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
