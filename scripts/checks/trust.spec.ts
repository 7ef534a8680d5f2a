import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { promiseFaults } from './namedTests.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const DECISIONS = readdirSync(path.join(ROOT, 'docs/decisions'))
/** Decisions about what strangers, providers and other users are trusted with. */
const ON_TRUST = new Set([
  '0005-webhooks-are-hints.md',
  '0007-personal-data-outside-the-log.md',
  '0018-security-log.md',
  '0019-second-factors.md',
  '0030-fair-admission.md',
  '0035-prompt-first.md',
  '0038-shares.md',
  '0055-nothing-a-stranger-sends-ends-the-service.md',
  '0056-the-providers-word.md',
  '0057-the-last-approval-wins.md',
])

/** Returns the decisions of the list, those that extend or change one of them, and those that SECURITY.md links to. */
function onTrust(): string[] {
  const linked = [...read('SECURITY.md').matchAll(/docs\/decisions\/([\w-]+\.md)/g)].map(([, file]) => file!)
  const found = new Set([...ON_TRUST, ...linked])
  // A decision extends earlier ones only.
  for (const file of DECISIONS.toSorted()) {
    const [, , dated = ''] = read(`docs/decisions/${file}`).split('\n')
    const earlier = dated.matchAll(/(?:extends|changes|and) \[\d+\]\(([\w-]+\.md)\)/g)
    if ([...earlier].some(([, target]) => found.has(target!))) found.add(file)
  }
  return [...found].sort()
}

describe('SECURITY.md', () => {
  it.each(['Trust boundaries', 'What is defended, and how'])(
    'has an existing test for each promise of "%s"',
    (heading) => {
      expect(promiseFaults(read('SECURITY.md'), heading)).toEqual([])
    },
  )
})

describe('a decision on trust', () => {
  it.each(onTrust())('has an existing test for each of its promises: %s', (file) => {
    expect(promiseFaults(read(`docs/decisions/${file}`), 'Promises')).toEqual([])
  })

  it('is also one that extends or changes another', () => {
    expect(onTrust()).toEqual(expect.arrayContaining(['0060-verification-by-a-click.md', '0062-masked-board.md']))
  })
})

describe('the check of promises', () => {
  const HERE = 'scripts/checks/trust.spec.ts'
  const page = (rows: string) =>
    `# 1. A title\n\n## Promises\n\n| Promise | Test |\n| --- | --- |\n${rows}\n\nCode: x\n`

  it.each([
    ['no table', '# 1. A title\n\nNothing is believed.\n', ['Promises']],
    ['a table without rows', page(''), ['Promises']],
    ['a row without a test', page(`| Kept | \`${HERE}\` |`), [`| Kept | \`${HERE}\` |`]],
    ['a test that does not exist', page(`| Kept | \`${HERE}\` “is ${'gone'}” |`), [`${HERE} “is ${'gone'}”`]],
    ['a spec that does not exist', page('| Kept | `a.spec.ts` “is kept” |'), ['a.spec.ts “is kept”']],
  ])('finds %s', (_, text, faults) => expect(promiseFaults(text, 'Promises')).toEqual(faults))

  it('accepts a row that names this test', () => {
    expect(promiseFaults(page(`| Kept | \`${HERE}\` “accepts a row that names this test” |`), 'Promises')).toEqual([])
  })
})
