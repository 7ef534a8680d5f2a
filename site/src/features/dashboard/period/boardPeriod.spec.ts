import { describe, expect, it } from 'vitest'
import { faultOf, queryOf } from './boardPeriod.ts'

describe('the board period', () => {
  it('ends today, and sends no query for the default of seven days', () => {
    expect(queryOf({ last: 7 }, '2026-03-01')).toEqual({})
    expect(queryOf({ last: 30 }, '2026-03-01')).toEqual({ from: '2026-01-31', to: '2026-03-01' })
    expect(queryOf({ last: 90 }, '2026-03-01')).toEqual({ from: '2025-12-02', to: '2026-03-01' })
  })

  it.each([
    ['', '2026-03-01', 'incomplete'],
    ['2026-02-02', '2026-02-01', 'reversed'],
    ['2025-12-01', '2026-02-01', 'outside'],
    ['2026-02-01', '2026-03-02', 'outside'],
    ['2025-12-02', '2026-03-01', undefined],
  ])('checks the range from %s to %s: %s', (from, to, fault) => {
    expect(faultOf(from, to, '2026-03-01')).toBe(fault)
  })
})
