import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { FIGURES } from './figures.ts'
import { type Row, toMarkdown } from './report.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const results = JSON.parse(read('proof/bench/results.json')) as { machine: Record<string, unknown>; rows: Row[] }

it('the table of docs/scaling.md shows the committed results', () => {
  // Columns of Markdown may be padded.
  const cells = (text: string) => text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const shown = cells(read('docs/scaling.md')).filter((row) => row.length === 8)
  const expected = cells(toMarkdown(results.rows)).filter((row) => !row[1]!.startsWith('---'))
  expect(shown.filter((row) => !/^-+$/.test(row[1]!))).toEqual(expected)
})

it('the committed results have every figure, with its goal', () => {
  const goalOf = ({ id, goal, better }: Pick<Row, 'id' | 'goal' | 'better'>) => [id, better, goal]
  expect(results.rows.map(goalOf)).toEqual(FIGURES.map(goalOf))
  expect(results.machine).toMatchObject({ cores: expect.any(Number), node: expect.any(String) })
})
