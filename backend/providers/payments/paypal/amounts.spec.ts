import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimalOf, smallestUnits } from './amounts.ts'

describe('PayPal amounts', () => {
  it.each([
    ['12.99', 'USD', 1299],
    ['129.9', 'USD', 12990],
    ['5', 'USD', 500],
    ['0.07', 'EUR', 7],
    ['1.005', 'USD', undefined],
    ['12.9900', 'USD', 1299],
    ['-0.49', 'USD', -49],
    ['-0.00', 'USD', 0],
    ['500', 'JPY', 500],
    ['500.00', 'TWD', 500],
    ['500.50', 'HUF', undefined],
    ['21474836.47', 'USD', 2_147_483_647],
    ['21474836.48', 'USD', undefined],
    ['1e3', 'USD', undefined],
    ['1,299.00', 'USD', undefined],
    [' 1', 'USD', undefined],
    ['', 'USD', undefined],
  ])('converts %s %s to %s in the smallest unit', (value, currency, expected) => {
    expect(smallestUnits(value, currency)).toBe(expected)
  })

  it("survive a round trip through PayPal's format", () => {
    fc.assert(fc.property(fc.nat(), (cents) => smallestUnits(decimalOf(cents), 'USD') === cents))
  })
})
