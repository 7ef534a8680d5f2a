import { describe, expect, it } from 'vitest'
import { nextMonthOf } from './sandboxState.ts'

describe('the billing dates of the sandbox', () => {
  it.each([
    ['2027-01-31', ['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']],
    ['2028-01-30', ['2028-02-29', '2028-03-30', '2028-04-30', '2028-05-30']],
    ['2026-12-15', ['2027-01-15', '2027-02-15', '2027-03-15', '2027-04-15']],
  ])('of a plan bought on %s keep its day: %j', (bought, dates) => {
    const anchor = `${bought}T12:00:00.000Z`
    let after = anchor
    const billed = dates.map(() => {
      after = nextMonthOf(anchor, after)
      return after.slice(0, 10)
    })
    expect(billed).toEqual(dates)
  })
})
