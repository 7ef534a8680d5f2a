import { expect, it } from 'vitest'
import { checksum, isWellFormed, KEY_FORM, makeKey } from './keyText.ts'

it('the checksum of a key is its CRC-32 in base62', () => {
  expect(checksum('kin_0123456789ABCDEFGHIJKLMNOPQRSTUV')).toBe('263TCz')
})

it('keys are different, well formed, and of the form that scanners search', () => {
  const keys = Array.from({ length: 100 }, makeKey)
  expect(new Set(keys).size).toBe(100)
  for (const key of keys) expect([key, KEY_FORM.test(key), isWellFormed(key)]).toEqual([key, true, true])
})

it('a key with one wrong character is not well formed', () => {
  const key = makeKey()
  for (let at = 0; at < key.length; at++) {
    const other = key[at] === 'a' ? 'b' : 'a'
    const wrong = key.slice(0, at) + other + key.slice(at + 1)
    expect(isWellFormed(wrong), wrong).toBe(false)
  }
})
