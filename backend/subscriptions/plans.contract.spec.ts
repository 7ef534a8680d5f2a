import { describe, expect, it } from 'vitest'
import { allowanceOf, PLANS, TIERS } from './plans.contract.ts'

describe('plans', () => {
  it('match the price table', () => {
    const table = TIERS.map((tier) => {
      const { priceCents, struckCents, priceFen, credits, waiting, concurrent, priority, watermark, popular } =
        PLANS[tier]
      return [tier, priceCents, struckCents, priceFen, credits, waiting, concurrent, priority, watermark, popular]
    })
    expect(table).toEqual([
      ['free', 0, null, 0, 60, 1, 1, 4, true, false],
      ['standard', 1299, 1499, 8900, 1000, 2, 2, 3, false, false],
      ['pro', 4499, 5499, 30900, 4500, 3, 2, 2, false, true],
      ['ultimate', 12999, 14999, 89900, 15000, 5, 2, 1, false, false],
    ])
    expect(TIERS.map((tier) => PLANS[tier].tier)).toEqual([...TIERS])
  })
  it('allow 2, 4, 5 and 7 open tasks, and 1080P in paid plans', () => {
    expect(TIERS.map(allowanceOf)).toEqual([
      { openTasks: 2, concurrent: 1, priority: 4, fullHd: false, watermark: true, team: false },
      { openTasks: 4, concurrent: 2, priority: 3, fullHd: true, watermark: false, team: false },
      { openTasks: 5, concurrent: 2, priority: 2, fullHd: true, watermark: false, team: false },
      { openTasks: 7, concurrent: 2, priority: 1, fullHd: true, watermark: false, team: true },
    ])
  })
})
