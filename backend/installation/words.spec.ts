import { expect, it } from 'vitest'
import { blockedWordIn } from './words.rules.ts'

it.each([
  ['A Gore scene', 'gore'],
  ['gore, in the rain', 'gore'],
  ['ｇｏｒｅ in full width', 'gore'],
  ['g​ore with an invisible space', 'gore'],
  ['一个gore场面', 'gore'],
  ['Straße voller gore', 'gore'],
  ['a chain  saw fight', 'chain saw'],
  ['非常血腥的场面', '血腥'],
  ['血 腥', '血腥'],
])('finds a word in %s', (prompt, word) => {
  expect(blockedWordIn(prompt, ['unused', word])).toBe(word)
})

it.each([
  ['A gored matador', 'gore'],
  ['The town of Goreville', 'gore'],
  ['gore_1', 'gore'],
  ['A scunthorpe sunset', 'cunt'],
  ['血色黄昏', '血腥'],
  ['anything', '​'],
])('does not find a word in %s', (prompt, word) => {
  expect(blockedWordIn(prompt, [word])).toBeUndefined()
})
