import { randomUUID } from 'node:crypto'

/**
 * A UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then randomness, so that ids sort by the time they were made. Variant
 * and randomness are those of a UUIDv4, which Node draws from a store of random bytes: each request makes ids.
 */
export function uuid7(at = Date.now()): string {
  const time = at.toString(16).padStart(12, '0')
  const random = randomUUID()
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}

/** Whether a text is a UUID of any version, in the form that Kinora writes: what the database would take for one. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
