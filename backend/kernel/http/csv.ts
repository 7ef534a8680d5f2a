export type CsvValue = string | number | boolean | null

/** A field of RFC 4180. What a spreadsheet would take for a formula is kept from being one. */
function field(value: CsvValue): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of RFC 4180, with its end. */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(field).join(',')}\r\n`
