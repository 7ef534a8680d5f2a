import { describe, expect, it } from 'vitest'
import { uuid7 } from './uuid7.ts'

describe('uuid7', () => {
  it('encodes the creation time', () => {
    expect(uuid7(Date.UTC(2026, 0, 1))).toMatch(/^019b76da-a800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
  it('sorts by time', () => {
    const ids = [1, 255, 256, 65_536, Date.UTC(2026, 0, 1), Date.UTC(2226, 0, 1)].map((at) => uuid7(at))
    expect(ids.toSorted()).toEqual(ids)
  })
  it('is unique within one millisecond', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => uuid7(0))).size).toBe(10_000)
  })
})
