import { describe, expect, it } from 'vitest'
import { isGood, report } from './report.ts'

const outcome = (code: string, killedBy?: string) => ({ file: 'a.ts', line: 1, code, change: '< → <=', killedBy })
const equivalent = (code: string, change = '< → <=') => ({ file: 'a.ts', code, change, reason: 'the same' })
const killed = Array.from({ length: 98 }, (_, n) => outcome(`${n}`, 'a test'))

describe('the report on mutants', () => {
  it('is good if at least 98 % are killed', () => {
    expect(isGood(report([...killed, outcome('x'), outcome('y')], []))).toBe(true)
    expect(isGood(report([...killed, outcome('x'), outcome('y'), outcome('z')], []))).toBe(false)
  })

  it('counts equivalent mutants separately', () => {
    const { rows, survivors } = report([outcome('x', 'a test'), outcome('y')], [equivalent('y')])
    expect(rows[0]).toEqual({ file: 'a.ts', mutants: 2, killed: 1, survived: 0, equivalent: 1, score: 100 })
    expect(survivors).toEqual([])
  })

  it('is not good if an entry of the list of equivalent mutants matches none', () => {
    const entries = [equivalent('x'), equivalent('y', '> → >=')]
    const result = report([...killed, outcome('y')], entries)
    expect(result.stale).toEqual(entries)
    expect(isGood(result)).toBe(false)
  })
})
