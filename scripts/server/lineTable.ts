import type { LineTable } from '#backend/kernel/observability/sourceLines.ts'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUE_OF = new Map([...DIGITS].map((digit, value) => [digit, value]))

type SourceMap = Readonly<{ sources: readonly string[]; mappings: string }>

/**
 * Reduces a source map to what a stack trace needs: where in the bundle a line of a source begins. Node.js reads whole
 * source maps when it loads the files, which takes 0.2 s and 50 MB; a table is read when an error is printed.
 * @returns the sources, and rows of line and column in the bundle, index of the source, and line in it, all from zero
 */
export function lineTable({ sources, mappings }: SourceMap): LineTable {
  const rows: number[] = []
  let [source, line] = [0, 0]
  for (const [bundleLine, segments] of mappings.split(';').entries()) {
    let column = 0
    let last: string | undefined
    for (const segment of segments ? segments.split(',') : []) {
      const [columns = 0, sourceBy, lineBy = 0] = decode(segment)
      column += columns
      if (sourceBy === undefined) continue
      source += sourceBy
      line += lineBy
      const place = `${source} ${line}`
      if (place !== last) rows.push(bundleLine, column, source, line)
      last = place
    }
  }
  return { sources, rows: Uint32Array.from(rows) }
}

/** Decodes the base64 VLQ numbers of a segment. */
function decode(segment: string): number[] {
  const numbers: number[] = []
  let [value, shift] = [0, 0]
  for (const digit of segment) {
    const bits = VALUE_OF.get(digit)!
    value |= (bits & 31) << shift
    shift += 5
    if (bits & 32) continue
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1)
    value = shift = 0
  }
  return numbers
}
