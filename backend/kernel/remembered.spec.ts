import { expect, it, vi } from 'vitest'
import { remembered } from './remembered.ts'

it('computes again only for other arguments, and for another number of them', () => {
  const sum = vi.fn((...terms: number[]) => terms.reduce((total, term) => total + term, 0))
  const remember = remembered(sum)
  expect([remember(1, 2), remember(1, 2), remember(1, 3), remember(1, 3, 0), remember(), remember()]).toEqual([
    3, 3, 4, 4, 0, 0,
  ])
  expect(sum).toHaveBeenCalledTimes(4)
})

it('computes again after an error', () => {
  let attempts = 0
  const flaky = remembered((value: string) => {
    attempts += 1
    if (attempts === 1) throw new Error('not yet')
    return value
  })
  expect(() => flaky('a')).toThrow('not yet')
  expect(flaky('a')).toBe('a')
})
