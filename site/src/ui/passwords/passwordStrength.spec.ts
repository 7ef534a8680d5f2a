import { expect, it } from 'vitest'
import { passwordStrength } from './passwordStrength.ts'

it.each([
  ['', 'weak'],
  ['Ab1!xyz', 'weak'],
  ['aaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['password', 'weak'],
  ['horse1985', 'fair'],
  ['correct horse', 'fair'],
  ['correct horse battery', 'strong'],
  ['x9!fKq2#Lw', 'strong'],
  ['灯塔下的第三只海鸥飞走了', 'strong'],
])('rates the password %s as %s', (password, strength) => {
  expect(passwordStrength(password)).toBe(strength)
})
