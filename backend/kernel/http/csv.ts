export type CsvValue = string | number | boolean | null

/** Quotes a field as RFC 4180 requires. A leading apostrophe keeps spreadsheets from evaluating formulas. */
function field(value: CsvValue): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Returns one CSV line (RFC 4180) with its line break.
 * @example csvLine(['a,b', 1]) // '"a,b",1\r\n'
 */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(field).join(',')}\r\n`
