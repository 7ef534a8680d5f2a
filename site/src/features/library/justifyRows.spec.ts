import { describe, expect, it } from 'vitest'
import { justifyRows, placesBetween } from './justifyRows.ts'

const GRID = { width: 1000, rowHeight: 200, gap: 10 }
const WIDE = 16 / 9
const TALL = 9 / 16

describe('rows of tiles', () => {
  const ratios = Array.from({ length: 40 }, (_, n) => [WIDE, TALL, 1][n % 3]!)
  const places = justifyRows(ratios, GRID)
  const rows = [...Map.groupBy(places, ({ top }) => top).values()]

  it('fill the width and keep the ratios', () => {
    for (const row of rows.slice(0, -1)) expect(row.at(-1)!.left + row.at(-1)!.width).toBeCloseTo(GRID.width)
    for (const [n, { width, height }] of places.entries()) expect(width / height).toBeCloseTo(ratios[n]!)
  })

  it('are about as high as asked for and do not overlap', () => {
    for (const { height } of places) {
      expect(height).toBeLessThanOrEqual(230)
      expect(height).toBeGreaterThan(110)
    }
    for (const [n, [next]] of rows.slice(1).entries())
      expect(next!.top).toBeCloseTo(rows[n]![0]!.top + rows[n]![0]!.height + 10)
  })

  it('fill the width with a last row that is almost full', () => {
    const [only] = justifyRows([WIDE], { width: 340, rowHeight: 150, gap: 6 })
    expect(only?.width).toBeCloseTo(340)
  })

  it('do not stretch a last row that is not full', () => {
    const [only] = justifyRows([WIDE], GRID)
    expect([only?.left, only?.width, only?.height]).toEqual([0, expect.closeTo(230 * WIDE), expect.closeTo(230)])
  })

  it('stay in place when tiles are added', () => {
    const before = rows.slice(0, -1).flat()
    expect(justifyRows([...ratios, WIDE, TALL], GRID).slice(0, before.length)).toEqual(before)
  })

  it('fit a narrow grid', () => {
    expect(justifyRows([WIDE, WIDE], { width: 300, rowHeight: 190, gap: 6 }).map(({ width }) => width)).toEqual([
      300, 300,
    ])
  })
})

it('finds the places in a band', () => {
  const places = justifyRows(Array(100).fill(WIDE), GRID)
  const { start, end } = placesBetween(places, 500, 900)
  for (const [n, { top, height }] of places.entries())
    expect(n >= start && n < end).toBe(top < 900 && top + height > 500)
  expect(placesBetween([], 0, 900)).toEqual({ start: 0, end: 0 })
  expect(placesBetween(places, 99_000, 99_900)).toEqual({ start: 100, end: 100 })
})
