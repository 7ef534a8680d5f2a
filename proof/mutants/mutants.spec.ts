import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { describeMutant } from './generateMutants.ts'
import { KNOWN_FAULTS } from './knownFaults.ts'
import { isGood, report, reportText } from './report.ts'
import { type Outcome, runMutants } from './runMutants.ts'
import { mutantsOf, TARGETS } from './targets.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

type Described = Pick<Outcome, 'file' | 'code' | 'change'>
const isKnown = (fault: Described, { file, code, change }: Described) =>
  file === fault.file && code.includes(fault.code) && change.includes(fault.change)

describe('the mutants of the core', () => {
  it('include the faults that the specs once missed', () => {
    const targets = TARGETS.filter(({ file }) => KNOWN_FAULTS.some((fault) => fault.file === file))
    const mutants = targets.flatMap((target): Described[] => {
      const text = readFileSync(path.join(ROOT, target.file), 'utf8')
      return mutantsOf(target, text).map((mutant) => ({ file: target.file, ...describeMutant(text, mutant) }))
    })
    const missing = KNOWN_FAULTS.filter((fault) => !mutants.some((mutant) => isKnown(fault, mutant)))
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  // They prove the specs, not the product.
  it.runIf(FULL)('are killed to at least 98 % in each file, and all known faults', { timeout: 7_200_000 }, async () => {
    const outcomes = await runMutants(TARGETS)
    const summary = report(outcomes)
    const text = reportText(summary)
    console.log(text)
    expect(isGood(summary), text).toBe(true)
    const survived = outcomes.filter(({ killedBy }) => !killedBy)
    expect(survived.filter((outcome) => KNOWN_FAULTS.some((fault) => isKnown(fault, outcome)))).toEqual([])
  })
})
