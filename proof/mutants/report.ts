import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Outcome } from './runMutants.ts'

/** A mutant that behaves like the original, so that no test can kill it. It is found by its code, not by its line. */
export interface Equivalent {
  readonly file: string
  readonly code: string
  readonly change: string
  readonly reason: string
}

export interface Row {
  readonly file: string
  readonly mutants: number
  readonly killed: number
  readonly survived: number
  readonly equivalent: number
  /** Killed per cent of those that are not equivalent. */
  readonly score: number
}

export interface Report {
  readonly rows: readonly Row[]
  readonly survivors: readonly Outcome[]
  /** Entries of the list that match no mutant any more. */
  readonly stale: readonly Equivalent[]
}

const MIN_SCORE = 98

const EQUIVALENTS: readonly Equivalent[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'equivalents.json'), 'utf8'),
)

const isSame = (one: Equivalent | Outcome, other: Equivalent | Outcome) =>
  one.file === other.file && one.code === other.code && one.change === other.change

/** Sums up the outcomes of each file, with the list of equivalent mutants. */
export function report(outcomes: readonly Outcome[], equivalents: readonly Equivalent[] = EQUIVALENTS): Report {
  const isEquivalent = (outcome: Outcome) => !outcome.killedBy && equivalents.some((each) => isSame(each, outcome))
  const files = [...new Set(outcomes.map(({ file }) => file))]
  const rows = [...files, 'total'].map((file): Row => {
    const own = outcomes.filter((outcome) => file === 'total' || outcome.file === file)
    const [killed, equivalent] = [own.filter(({ killedBy }) => killedBy).length, own.filter(isEquivalent).length]
    const counted = own.length - equivalent
    return {
      file,
      mutants: own.length,
      killed,
      survived: counted - killed,
      equivalent,
      score: (100 * killed) / counted,
    }
  })
  const stale = equivalents
    .filter(({ file }) => files.includes(file))
    .filter((each) => !outcomes.some((outcome) => isSame(each, outcome)))
  return { rows, survivors: outcomes.filter((one) => !one.killedBy && !isEquivalent(one)), stale }
}

/** Returns the report as text: the survivors, the stale entries and a table. */
export function reportText({ rows, survivors, stale }: Report): string {
  const width = Math.max(...rows.map(({ file }) => file.length))
  const line = (file: string, ...cells: readonly string[]) =>
    [file.padEnd(width), ...cells.map((cell) => cell.padStart(10))].join(' ')
  return [
    ...survivors.map(({ file, line: at, code, change }) => `survived: ${file}:${at}\n  ${code}\n  ${change}`),
    ...stale.map(({ file, code, change }) => `stale entry in equivalents.json: ${file}\n  ${code}\n  ${change}`),
    line('file', 'mutants', 'killed', 'survived', 'equivalent', 'score'),
    ...rows.map(({ file, mutants, killed, survived, equivalent, score }) =>
      line(file, ...[mutants, killed, survived, equivalent].map(String), `${score.toFixed(1)} %`),
    ),
  ].join('\n')
}

/** Returns whether every file reaches the minimum score and the list of equivalent mutants is up to date. */
export const isGood = ({ rows, stale }: Report): boolean =>
  rows.every(({ score }) => score >= MIN_SCORE) && stale.length === 0
