import { describe, expect, it } from 'vitest'
import type { Shape } from '../tasks/contract.ts'
import { OrderPrices } from './orderPrice.ts'

const shape: Shape = {
  taskTypes: ['text_to_video'],
  resolutions: ['768P'],
  seconds: { from: 4, to: 15 },
  centsPerSecond: 8,
}
const order = {
  taskType: 'text_to_video',
  model: 'm',
  resolution: '768P',
  duration: 6,
  modelVersion: 'v1',
  shape,
} as const
const check = (more: object) => new OrderPrices().check({ ...order, ...more })

describe('the price of an order', () => {
  it('follows from the shape of its version, whatever the catalogue says today', () => {
    expect(check({})).toBe(50)
    expect(check({ modelVersion: 'v2', shape: { ...shape, credits: 70 } })).toBe(70)
  })

  it.each([
    [{ shape: undefined }, /without a price/],
    [{ duration: 16 }, /another configuration/],
    [{ resolution: '1080P' }, /another configuration/],
    [{ taskType: 'image_to_video' }, /another configuration/],
  ])('is refused when the shape does not price it (%#)', (more, wrong) => {
    expect(check(more)).toMatch(wrong)
  })

  it('is refused when its version prices the configuration twice', () => {
    const prices = new OrderPrices()
    expect(prices.check(order)).toBe(50)
    expect(prices.check({ ...order, shape: { ...shape, credits: 1 } })).toMatch(/at 1 and at 50 credits/)
  })
})
