import { type DailyZero, isSigned, sentenceOf } from './dailyZero.ts'
import type { StoredZero } from './startZeros.ts'

/** Returns a daily zero as the board shows it. */
export function zeroOnBoard({ day, is_zero: zero, record: text, signature, public_key: publicKey }: StoredZero) {
  const { sales, differences, unreached } = JSON.parse(text) as DailyZero
  const signed = isSigned({ text, signature, publicKey })
  return { day, zero, signed, sales, differences: differences.map(sentenceOf), unreached: [...unreached] }
}
