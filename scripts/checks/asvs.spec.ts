import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isStated, namedTests } from './namedTests.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

/**
 * The 253 requirements of OWASP ASVS 5.0.0 at levels 1 and 2: `1.2.1-3,5` stands for V1.2.1, V1.2.2, V1.2.3 and V1.2.5.
 * See docs/decisions/0028-asvs-level-2.md.
 */
const REQUIREMENTS = `
  1.1.1-2 1.2.1-9 1.3.1-11 1.4.1-3 1.5.1-2
  2.1.1-3 2.2.1-3 2.3.1-4 2.4.1
  3.2.1-2 3.3.1-4 3.4.1-6 3.5.1-5 3.7.1-2
  4.1.1-3 4.2.1 4.3.1-2 4.4.1-4
  5.1.1 5.2.1-3 5.3.1-2 5.4.1-3
  6.1.1-3 6.2.1-12 6.3.1-4 6.4.1-4 6.5.1-5 6.6.1-3 6.8.1-4
  7.1.1-3 7.2.1-4 7.3.1-2 7.4.1-5 7.5.1-2 7.6.1-2
  8.1.1-2 8.2.1-3 8.3.1 8.4.1
  9.1.1-3 9.2.1-4
  10.1.1-2 10.2.1-2 10.3.1-4 10.4.1-11 10.5.1-5 10.6.1-2 10.7.1-3
  11.1.1-2 11.2.1-3 11.3.1-3 11.4.1-4 11.5.1 11.6.1
  12.1.1-3 12.2.1-2 12.3.1-4
  13.1.1 13.2.1-5 13.3.1-2 13.4.1-5
  14.1.1-2 14.2.1-4 14.3.1-3
  15.1.1-3 15.2.1-3 15.3.1-7
  16.1.1 16.2.1-5 16.3.1-4 16.4.1-3 16.5.1-3
  17.1.1 17.2.1-4 17.3.1-2
`

const required = REQUIREMENTS.trim()
  .split(/\s+/)
  .flatMap((text) => {
    const [, section, numbers] = /^(\d+\.\d+)\.(.+)$/.exec(text)!
    return numbers!.split(',').flatMap((range) => {
      const [first, last = first] = range.split('-').map(Number)
      return Array.from({ length: last! - first! + 1 }, (_, n) => `V${section}.${first! + n}`)
    })
  })

const rows = readFileSync(path.join(ROOT, 'docs/asvs.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, id, , state, evidence] = /^\| (V\d+\.\d+\.\d+) +\| (.*?) +\| (✔|n\/a|✗) +\| (.*) \|$/.exec(line) ?? []
    if (!id) return []
    const tests = namedTests(evidence!)
    return [{ id, state, evidence: evidence!.trim(), tests }]
  })

describe('docs/asvs.md', () => {
  it('has every requirement of levels 1 and 2 once', () => {
    expect(required).toHaveLength(253)
    expect(rows.map(({ id }) => id)).toEqual(required)
  })

  it('names tests that exist', () => {
    const named = rows.flatMap(({ tests }) => tests)
    expect(named.length).toBeGreaterThan(200)
    expect(named.filter((test) => !isStated(test))).toEqual([])
  })

  it('has a test for each requirement that is met, and a reason for each other', () => {
    const lacking = rows.filter(({ state, tests, evidence }) => (state === '✔' ? tests.length === 0 : evidence === ''))
    expect(lacking.map(({ id }) => id)).toEqual([])
  })
})
