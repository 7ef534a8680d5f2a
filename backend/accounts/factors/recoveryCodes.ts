import { createHash, randomInt } from 'node:crypto'

const COUNT = 10
/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
/** About 138 bits. From 112 bits, a hash without salt and stretching suffices (OWASP ASVS 6.5.2). */
const LENGTH = 28

/** Returns new recovery codes, such as `k3f7-9wxe-4bqa-mp2d-…`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: COUNT }, () =>
    Array.from({ length: LENGTH }, (_, n) => (n && n % 4 === 0 ? '-' : '') + ALPHABET[randomInt(ALPHABET.length)]).join(
      '',
    ),
  )

/** Returns a code without spaces and hyphens, in lower case. */
export const plainCode = (code: string): string => code.replace(/[\s-]/g, '').toLowerCase()

/** Returns the hash under which a code is stored. */
export const hashOfCode = (code: string): string => createHash('sha256').update(plainCode(code)).digest('hex')
