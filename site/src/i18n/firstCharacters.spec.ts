import { expect, it } from 'vitest'
import { firstCharacters } from './firstCharacters.ts'

it.each([
  ['🎬 Anna', 1, '🎬'],
  ['𠮷野', 1, '𠮷'],
  ['abc', 2, 'ab'],
  ['ab', 5, 'ab'],
  ['', 1, ''],
])('the start of %j with %i characters is %j', (text, count, start) => {
  expect(firstCharacters(text, count)).toBe(start)
})
