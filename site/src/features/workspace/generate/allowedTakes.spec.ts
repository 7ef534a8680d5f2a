import { expect, it } from 'vitest'
import { allowedTakes } from './allowedTakes.ts'

it.each([
  [5, 900, 30, 4],
  [2, 900, 30, 2],
  [5, 70, 30, 2],
  [0, 900, 30, 1],
  [5, 10, 30, 1],
  [null, null, 30, 4],
] as const)('with %s places, %s credits and a price of %i, allows %i takes', (places, credits, cost, takes) => {
  expect(allowedTakes(places, credits, cost)).toBe(takes)
})
