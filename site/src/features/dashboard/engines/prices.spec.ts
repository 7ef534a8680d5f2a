import { expect, it } from 'vitest'
import { typedPrices } from './prices.ts'

it('sends an empty cost of a model as unknown, not as zero', () => {
  const typed = [
    { credits: '40', cents: '' },
    { credits: '80', cents: ' ' },
    { credits: '120', cents: '0' },
  ]
  expect(typedPrices(typed)).toEqual([
    { credits: 40, cents: null },
    { credits: 80, cents: null },
    { credits: 120, cents: 0 },
  ])
})

it.each([
  ['40', '12,5'],
  ['many', '12'],
])('refuses a price of "%s" credits and "%s" cents', (credits, cents) => {
  expect(typedPrices([{ credits, cents }])).toBeUndefined()
})
