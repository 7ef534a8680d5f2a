import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** Memory of the hashes of `backend/accounts/passwords.ts`, KiB. Hashes with other parameters, such as test vectors, stay as they are. */
const MEMORY = 19_456
const LEAST = { memory: 8, passes: 1 }

/**
 * Loaded into workers of `npm test` and the programs that they start. Derives password hashes with the least memory and one pass, because
 * the right ones take 30 ms of CPU time each: a fifth of what the services' tests take. The product has no such setting.
 * @see docs/decisions/0039-time-of-the-tests.md
 */
const { argon2 } = crypto
crypto.argon2 = (algorithm, parameters, done) =>
  argon2(algorithm, parameters.memory === MEMORY ? { ...parameters, ...LEAST } : parameters, done)
syncBuiltinESMExports()
