import { expect, it } from 'vitest'
import { monthsAfter } from './time.ts'

it.each([
  ['2026-01-15T10:30:00.000Z', 1, '2026-02-15T10:30:00.000Z'],
  ['2026-01-31T12:00:00.000Z', 1, '2026-02-28T12:00:00.000Z'],
  ['2028-01-31T12:00:00.000Z', 1, '2028-02-29T12:00:00.000Z'],
  ['2026-12-05T00:00:00.000Z', 2, '2027-02-05T00:00:00.000Z'],
])('monthsAfter %s by %i is %s', (from, months, to) => {
  expect(monthsAfter(from, months)).toBe(to)
})
