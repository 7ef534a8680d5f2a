import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Curve, fitExponent, judge, toMarkdown } from './growth.ts'
import { curvesOf } from './sample.ts'

const SIZES = [1e3, 1e4, 1e5, 1e6]
/** Returns the points of a cost. The elapsed time is constant, so that only the CPU time can decide. */
const points = (cost: (size: number) => number) => SIZES.map((size) => ({ size, cpu_ms: cost(size), wall_ms: 1 }))

describe('the exponent of a curve', () => {
  it.each([0, 0.5, 1, 2, -1])('is k for a cost of c times the size to the power of %d', (k) => {
    expect(fitExponent(SIZES.map((size) => [size, 7 * size ** k]))).toBeCloseTo(k, 10)
  })

  it('is that of the best line where the points are not on one', () => {
    expect(
      fitExponent([
        [1, 1],
        [10, 10],
        [100, 10],
      ]),
    ).toBeCloseTo(0.5, 10)
  })

  it.each([
    [
      'one size',
      [
        [10, 1],
        [10, 2],
      ],
    ],
    [
      'a cost of zero',
      [
        [1, 0],
        [10, 1],
      ],
    ],
    [
      'a cost that is no number',
      [
        [1, Number.NaN],
        [10, 1],
      ],
    ],
    ['no points', []],
  ] as const)('is refused for %s', (_, given) => {
    expect(() => fitExponent(given)).toThrow(RangeError)
  })
})

describe('the verdict', () => {
  it.each([
    ['the same at every size', () => 0.3],
    ['less at larger sizes', (size: number) => 2 - Math.log10(size) / 5],
    ['a third more over three decades', (size: number) => 1 + (Math.log10(size) - 3) / 9],
  ] as const)('accepts as flat: %s', (_, cost) => {
    expect(judge({ limit: 'flat', points: points(cost) }).holds).toBe(true)
  })

  it.each([
    ['linear', (size: number) => size],
    ['a scan that shows only at the largest size', (size: number) => Math.max(0.3, size / 1e6)],
    ['three times as much over three decades', (size: number) => size ** 0.16],
  ] as const)('refuses as flat: %s', (_, cost) => {
    expect(judge({ limit: 'flat', points: points(cost) }).holds).toBe(false)
  })

  it.each([
    ['linear', (size: number) => size / 50],
    ['flat', () => 3],
    ['linear after a constant start', (size: number) => 200 + size / 50],
  ] as const)('accepts as linear: %s', (_, cost) => {
    expect(judge({ limit: 'linear', points: points(cost) }).holds).toBe(true)
  })

  it.each([
    ['quadratic', (size: number) => size ** 2],
    ['quadratic after a constant start', (size: number) => 3e3 + (size / 1e3) ** 2],
    ['the power of 1.2', (size: number) => size ** 1.2],
  ] as const)('refuses as linear: %s', (_, cost) => {
    expect(judge({ limit: 'linear', points: points(cost) }).holds).toBe(false)
  })

  it('is shown beside CPU and elapsed time', () => {
    const curve: Curve = { id: 'a', question: 'read', axis: 'users', limit: 'flat', points: points((size) => size) }
    const [, , line] = toMarkdown([curve]).split('\n')
    expect(line).toBe(
      '| read, by users | 1,000 / 1 | 10,000 / 1 | 100,000 / 1 | 1,000,000 / 1 | 1.00 | 1.00 | flat | no |',
    )
  })
})

describe('the curves of samples', () => {
  it('are ordered by size, and left out when they have one size', () => {
    const sample = (id: string, size: number) => ({ id, size, cpu_ms: size, wall_ms: 1 })
    const found = curvesOf([sample('works', 1e4), sample('works', 1e3), sample('append', 1e3), sample('no such', 1e3)])
    expect(found.map(({ id }) => id)).toEqual(['works'])
    expect(found[0]!.points.map(({ size }) => size)).toEqual([1e3, 1e4])
  })
})

describe('the committed curves', () => {
  const file = path.resolve(import.meta.dirname, '../curves.json')
  const { curves, machine } = JSON.parse(readFileSync(file, 'utf8')) as { curves: Curve[]; machine: object }

  it('reach a million, and each stays within its limit', () => {
    expect(machine).toMatchObject({ cores: expect.any(Number), node: expect.any(String), load: expect.any(Number) })
    expect(curves.length).toBeGreaterThan(8)
    for (const curve of curves) expect(curve.points.map(({ size }) => size)).toEqual(expect.arrayContaining(SIZES))
    expect(curves.filter((curve) => !judge(curve).holds).map(({ id }) => id)).toEqual([])
  })
})
