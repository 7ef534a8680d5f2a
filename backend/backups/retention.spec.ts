import { describe, expect, it } from 'vitest'
import { DAY_MS, expiredCopies } from './retention.ts'

const NOW = Date.parse('2026-03-31T04:00:00Z')
/** Copies of the last `days` nights, the newest an hour old. */
const nights = (days: number) => Array.from({ length: days }, (_, day) => NOW - 3_600_000 - day * DAY_MS)
const ages = (times: readonly number[]) => times.map((time) => Math.floor((NOW - time) / DAY_MS))

describe('expired copies', () => {
  it('are none within a week', () => {
    expect(expiredCopies(nights(7), NOW, 35)).toEqual([])
  })

  it('leave one of each week after that, and none beyond the limit', () => {
    const all = nights(90)
    const expired = new Set(expiredCopies(all, NOW, 35))
    const kept = ages(all.filter((time) => !expired.has(time)))
    expect(kept.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6])
    const older = kept.slice(7)
    expect(older.length).toBeGreaterThanOrEqual(4)
    expect(older.length).toBeLessThanOrEqual(5)
    expect(Math.max(...older)).toBeLessThan(35)
    expect(older.slice(1).every((age, i) => age - older[i]! <= 7)).toBe(true)
  })

  it('are the same if copies are removed every night as if they are removed at the end', () => {
    let kept: number[] = []
    const all = nights(60).toReversed()
    for (const time of all) {
      kept.push(time)
      const expired = new Set(expiredCopies(kept, time + 3_600_000, 35))
      kept = kept.filter((copy) => !expired.has(copy))
    }
    expect(kept.length).toBeGreaterThanOrEqual(11)
    const gaps = kept.slice(1).map((time, i) => (time - kept[i]!) / DAY_MS)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(8)
  })

  it('never include the newest one', () => {
    expect(expiredCopies([NOW - 100 * DAY_MS, NOW - 99 * DAY_MS], NOW, 35)).toEqual([NOW - 100 * DAY_MS])
  })
})
