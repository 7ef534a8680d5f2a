/** Currencies for which PayPal does not support decimals. */
const WHOLE = new Set(['HUF', 'JPY', 'TWD'])

/** Largest amount that the read models store. */
const MAX_UNITS = 2 ** 31 - 1

/**
 * Converts a decimal amount from PayPal ("12.99", "-0.50", "500") to the currency's smallest unit, without
 * floating-point arithmetic. Returns undefined if the amount is not valid in this currency, or
 * too large to book.
 */
export function smallestUnits(value: string, currency: string): number | undefined {
  const [, sign, whole, decimals = ''] = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(value) ?? []
  if (whole === undefined) return undefined
  const places = WHOLE.has(currency) ? 0 : 2
  if (/[^0]/.test(decimals.slice(places))) return undefined
  const units = Number(whole + decimals.slice(0, places).padEnd(places, '0'))
  if (units > MAX_UNITS) return undefined
  return sign && units !== 0 ? -units : units
}

/** Formats integer cents for PayPal: 1299 becomes "12.99". */
export const decimalOf = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`

/** Returns a fee, whose sign differs among PayPal's answers; undefined if it is not in the currency of the sale. */
export function feeOf(fee: { currency_code: string; value: string } | undefined, currency: string): number | undefined {
  const units = fee?.currency_code === currency ? smallestUnits(fee.value, currency) : undefined
  return units && Math.abs(units)
}
