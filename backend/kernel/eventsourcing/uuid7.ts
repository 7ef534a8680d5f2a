import { randomUUID } from 'node:crypto'

/**
 * Returns a UUIDv7 (RFC 9562), which sorts by creation time (`at`, in epoch milliseconds). The random bits and the
 * variant come from `randomUUID`, which is fast because Node caches entropy for it.
 * @example uuid7() // '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071'
 */
export function uuid7(at = Date.now()): string {
  const time = at.toString(16).padStart(12, '0')
  const random = randomUUID()
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}

/** Returns whether a text is a lowercase UUID of any version. @example isUuid('../etc/passwd') // false */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
