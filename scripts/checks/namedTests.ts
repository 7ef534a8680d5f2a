import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../..')

export interface NamedTest {
  readonly file: string
  readonly title: string
}

/** Returns the tests that a page names, as in `a.spec.ts` “rejects a second capture”. */
export const namedTests = (text: string): NamedTest[] =>
  [...text.matchAll(/`([\w./]+(?:\.spec\.tsx?|Contract\.ts))` “([^”]+)”/g)].map(([, file = '', title = '']) => ({
    file,
    title,
  }))

/** Returns whether a spec has a test or a group with a title, as its source spells it. */
export function isStated({ file, title }: NamedTest): boolean {
  const source = path.join(ROOT, file)
  if (!existsSync(source)) return false
  const text = readFileSync(source, 'utf8')
  return ["'", '"', '`'].some((quote) => text.includes(quote + title + quote))
}

/**
 * Returns what is wrong with the table of promises below a heading: the rows without a test and the tests that do not exist;
 * the heading if it has no rows.
 */
export function promiseFaults(page: string, heading: string): string[] {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'))
  if (rows.length === 0) return [heading]
  const missing = namedTests(rows.join('\n')).filter((test) => !isStated(test))
  return [
    ...rows.filter((row) => namedTests(row).length === 0),
    ...missing.map(({ file, title }) => `${file} “${title}”`),
  ]
}
