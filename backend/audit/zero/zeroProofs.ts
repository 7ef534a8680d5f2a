import { type Deviations, missingPlace } from '../deviation.ts'
import { fingerprint } from '../signingKey.ts'
import { type DailyZero, isSigned, isZero } from './dailyZero.ts'
import type { StoredZero } from './startZeros.ts'

const DAY_MS = 24 * 3_600_000

/** Daily zeros, newest first, and the fingerprints of the keys that may have signed them: any if empty. */
export interface Zeros {
  readonly stored: readonly StoredZero[]
  readonly signers: readonly string[]
}

/** Checks that each daily zero is as it was signed, and that none is missing between two others. */
export function checkZeros({ stored, signers }: Zeros, deviations: Deviations): void {
  for (const [index, zero] of stored.entries()) {
    const wrong = faultOf(zero, signers)
    if (wrong) deviations.add('zero', missingPlace({}), `The daily zero of ${zero.day} ${wrong}.`)
    const earlier = stored[index + 1]?.day
    const missing = earlier === undefined ? 0 : (Date.parse(zero.day) - Date.parse(earlier)) / DAY_MS - 1
    if (missing > 0)
      deviations.add('zero', missingPlace({}), `${missing} daily zeros are missing between ${earlier} and ${zero.day}.`)
  }
}

function faultOf(
  { day, is_zero, record: text, signature, public_key: publicKey }: StoredZero,
  signers: Zeros['signers'],
) {
  const print = fingerprint(publicKey)
  if (!isSigned({ text, signature, publicKey })) return `is not what was signed with the key ${print}`
  if (signers.length > 0 && !signers.includes(print)) return `is signed with the key ${print}, which is not known`
  const signed = JSON.parse(text) as DailyZero
  if (signed.day !== day) return `is the one of ${signed.day}`
  return isZero(signed) === is_zero ? undefined : `is stored as ${is_zero ? 'zero' : 'not zero'}, which it is not`
}
