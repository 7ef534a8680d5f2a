import { expect, it } from 'vitest'
import { pagesShown } from './pagesShown.ts'

it.each([
  [1, 0, ''],
  [1, 1, '1'],
  [3, 5, '1 2 3 4 5'],
  [1, 9, '1 2 … 9'],
  [3, 9, '1 2 3 4 … 9'],
  [4, 9, '1 2 3 4 5 … 9'],
  [5, 9, '1 … 4 5 6 … 9'],
  [7, 9, '1 … 6 7 8 9'],
  [9, 9, '1 … 8 9'],
])('shows page %i of %i with the links %s', (page, count, shown) => {
  expect(
    pagesShown(page, count)
      .map((each) => each ?? '…')
      .join(' '),
  ).toBe(shown)
})
