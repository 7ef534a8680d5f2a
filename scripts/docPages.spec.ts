import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { decisionsPage, measureRooms, records, shownRooms } from './docPages.ts'

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8')
/** Lines by which a small room may differ from the map. */
const LEEWAY = 200

describe('docs/decisions.md', () => {
  it('lists every record by number and title (update: node scripts/docPages.ts --write)', () => {
    expect(read('docs/decisions.md')).toBe(decisionsPage())
  })
})

describe('a decision', () => {
  it.each(records())('has the shape of all others: $file', ({ file, number, title }) => {
    const text = read(`docs/decisions/${file}`)
    expect(number).toBe(Number(file.slice(0, 4)))
    expect(title).not.toBe('')
    const link = String.raw`\[\d+\]\(\d{4}-[\w-]+\.md\)`
    const standing = new RegExp(
      String.raw`^# .+\n\n\d{4}-\d\d-\d\d · accepted( · (extends|changes|changed by|extended by) ${link}.*)?\n`,
    )
    expect(text).toMatch(standing)
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].slice(1).map(([, heading]) => heading)
    expect(headings.filter((heading) => heading !== 'Promises')).toEqual(['Context', 'Decision', 'Consequences'])
    expect(text.slice(text.indexOf('## Consequences'))).toMatch(/^Code: `/m)
  })

  it.each(records())('is linked by its own number: $file', ({ file }) => {
    const text = read(`docs/decisions/${file}`)
    const links = [...text.matchAll(/\[(?:decision )?(\d+)\]\((\d{4})-/g)]
    expect(links.filter(([, shown, target]) => Number(shown) !== Number(target))).toEqual([])
  })
})

describe('the size map of docs/architecture.md', () => {
  it('is right within 15 % (update: node scripts/docPages.ts --write)', () => {
    const shown = shownRooms()
    const rooms = measureRooms()
    expect(shown.map(({ room }) => room)).toEqual(rooms.map(({ room }) => room))
    const isOff = (was: number, is: number) => Math.abs(was - is) > Math.max(0.15 * is, LEEWAY)
    const stale = rooms.filter(({ code, tests }, at) => isOff(shown[at]!.code, code) || isOff(shown[at]!.tests, tests))
    expect(stale).toEqual([])
  })
})
