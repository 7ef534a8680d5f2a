import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { FIGURES } from './table/figures.ts'
import type { Measured } from './table/record.ts'
import { describeMachine, type Row, readLoad, toMarkdown } from './table/report.ts'

/**
 * Runs every bench that has a figure in the table, one after the other, and prints the table: `npm run bench [-- --json
 * <file>] [--only <bench>]`. A figure that was not measured has no row.
 */
const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' } } })
const machine = describeMachine()
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bench-'))
const file = path.join(folder, 'rows')

const loads = new Map<string, number>()
const benches = [...new Set(FIGURES.map(({ bench }) => bench))]
for (const bench of benches) {
  const [name, ...args] = bench.split(' ')
  if (values.only && values.only !== name) continue
  console.log(`\n== ${bench}`)
  loads.set(bench, readLoad())
  const env = { ...process.env, KINORA_BENCH_ROWS: file }
  const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, `${name}.ts`), ...args], {
    ...{ env, stdio: 'inherit' },
  })
  if (status !== 0) console.error(`${bench} failed with code ${status}; its rows are missing`)
}

const measured = new Map<string, number>()
if (existsSync(file))
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const { id, value } = JSON.parse(line) as Measured
    measured.set(id, value)
  }
rmSync(folder, { recursive: true })

const rows = FIGURES.flatMap((figure): Row[] => {
  const value = measured.get(figure.id)
  return value === undefined ? [] : [{ ...figure, value, load: loads.get(figure.bench)! }]
})
console.log(`\n${toMarkdown(rows)}`)
if (values.json) writeFileSync(values.json, `${JSON.stringify({ machine, rows }, undefined, 2)}\n`)
