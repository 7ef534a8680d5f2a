import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isStated, namedTests } from './namedTests.ts'

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8')
/** Decisions about what strangers, providers and other users are trusted with. */
const ON_TRUST = [
  '0005-webhooks-are-hints',
  '0007-personal-data-outside-the-log',
  '0018-security-log',
  '0019-second-factors',
  '0030-fair-admission',
  '0035-prompt-first',
  '0038-shares',
  '0055-nothing-a-stranger-sends-ends-the-service',
  '0056-the-providers-word',
  '0057-the-last-approval-wins',
]

/** Returns the rows of the tables below a heading, without their heads. */
function rowsBelow(page: string, heading: string): string[] {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return section.split('\n').filter((line) => line.startsWith('|') && !/^\| (What is checked|Promise|-+)/.test(line))
}

describe('SECURITY.md', () => {
  it.each([
    ['Trust boundaries', 10],
    ['What is defended, and how', 15],
  ])('has a test for each promise of "%s"', (heading, atLeast) => {
    const rows = rowsBelow(read('SECURITY.md'), heading)
    expect(rows.length).toBeGreaterThanOrEqual(atLeast)
    expect(rows.filter((row) => namedTests(row).length === 0)).toEqual([])
  })

  it('names tests that exist', () => {
    expect(namedTests(read('SECURITY.md')).filter((test) => !isStated(test))).toEqual([])
  })
})

describe('a decision on trust', () => {
  it.each(ON_TRUST)('names specs that exist: %s', (name) => {
    const text = read(`docs/decisions/${name}.md`)
    const specs = [...text.matchAll(/`([\w./]+\.spec\.ts|[\w./]+Contract\.ts)`/g)].map(([, file]) => file!)
    expect(specs.length).toBeGreaterThan(0)
    for (const file of specs) expect(() => read(file), file).not.toThrow()
  })
})
