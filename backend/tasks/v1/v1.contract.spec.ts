import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { VideoOrder } from './v1.contract.ts'

/** The largest seed of a generation. */
const LARGEST = 2 ** 31 - 1

it.each([0, 7, 999_999_999, 1_000_000_000, LARGEST])('takes the seed %i as a number and as text', (seed) => {
  for (const sent of [seed, String(seed)]) expect(z.parse(VideoOrder, { seed: sent }).seed).toBe(seed)
})

it.each(['', ' 7', '-7', '7.5', '1e9', '0x7', 'seven', '1'.repeat(11)])('refuses the text %j as a seed', (seed) => {
  expect(z.safeParse(VideoOrder, { seed }).success).toBe(false)
})
