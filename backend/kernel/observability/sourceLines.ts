import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Where the lines of sources begin in a file of the bundle. See scripts/server/lineTable.ts. */
export interface LineTable {
  readonly sources: readonly string[]
  /** Rows of four: line and column in the bundle, index of the source, and line in it, all from zero. */
  readonly rows: Uint32Array
}

const tables = new Map<string, LineTable | undefined>()

/**
 * Makes stack traces name files and lines of the sources instead of the bundle. The bundle runs it first; other
 * processes do not need it. docs/decisions/0051-server-bundle.md.
 * @param bundle folder of the bundle, in the root of the project
 */
export function nameSourceLines(bundle: string): void {
  const prefix = pathToFileURL(`${bundle}/`).href
  const root = pathToFileURL(`${path.dirname(bundle)}/`).href
  Error.prepareStackTrace = (error, sites) => {
    const frames = sites.map((site) => {
      const [file, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()]
      if (!file?.startsWith(prefix) || !line || !column) return `\n    at ${site}`
      const source = sourceLine(tableOf(file), line - 1, column - 1)
      return `\n    at ${source ? `${site}`.replace(`${file}:${line}:${column}`, root + source) : site}`
    })
    return Error.prototype.toString.call(error) + frames.join('')
  }
}

/** Reads the table of a file once. Undefined if there is none, since a stack trace must not fail. */
function tableOf(url: string): LineTable | undefined {
  if (!tables.has(url)) {
    try {
      const file = fileURLToPath(url)
      const rows = readFileSync(`${file}.lines`)
      const sources = JSON.parse(readFileSync(`${file}.sources`, 'utf8'))
      tables.set(url, { sources, rows: new Uint32Array(new Uint8Array(rows).buffer) })
    } catch {
      tables.set(url, undefined)
    }
  }
  return tables.get(url)
}

/** Returns the source and line, from one, at a position in the bundle; undefined if it has none. */
export function sourceLine(table: LineTable | undefined, line: number, column: number): string | undefined {
  if (!table) return undefined
  const { rows, sources } = table
  let [from, to] = [0, rows.length / 4]
  while (from < to) {
    const middle = (from + to) >>> 1
    const isAfter = rows[middle * 4]! > line || (rows[middle * 4] === line && rows[middle * 4 + 1]! > column)
    if (isAfter) to = middle
    else from = middle + 1
  }
  const at = (from - 1) * 4
  return from > 0 && rows[at] === line ? `${sources[rows[at + 2]!]}:${rows[at + 3]! + 1}` : undefined
}
