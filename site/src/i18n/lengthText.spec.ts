import { expect, it } from 'vitest'
import type { Translate } from './keys.ts'
import { lengthText } from './lengthText.ts'

const t = ((_, variables) => `${variables?.count} s`) as Translate

it.each([
  [0, '0 s'],
  [5.88, '6 s'],
  [59.6, '1:00'],
  [754, '12:34'],
  [3_600, '1:00:00'],
  [45_296, '12:34:56'],
])('formats %f seconds as %s', (seconds, text) => {
  expect(lengthText(seconds, t)).toBe(text)
})
