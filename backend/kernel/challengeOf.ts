import { createHash } from 'node:crypto'

/** Returns the WebAuthn challenge of a text, in base64url. */
export const challengeOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
