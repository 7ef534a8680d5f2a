import { expect, it } from 'vitest'
import { encodeCbor } from './cbor.ts'

// RFC 8949, appendix A.
it.each([
  [0, '00'],
  [23, '17'],
  [24, '1818'],
  [1000, '1903e8'],
  [1000000, '1a000f4240'],
  [1000000000000, '1b000000e8d4a51000'],
  [-1, '20'],
  [-1000, '3903e7'],
  [null, 'f6'],
  [Buffer.from('01020304', 'hex'), '4401020304'],
  ['', '60'],
  ['水', '63e6b0b4'],
  [[1, [2, 3], [4, 5]], '8301820203820405'],
  [Array.from({ length: 25 }, (_, n) => n + 1), '98190102030405060708090a0b0c0d0e0f101112131415161718181819'],
  [
    new Map([
      [1, 2],
      [3, 4],
    ]),
    'a201020304',
  ],
  [{ a: 1, b: [2, 3] }, 'a26161016162820203'],
])('encodes %o as %s', (value, expected) => {
  expect(encodeCbor(value).toString('hex')).toBe(expected)
})

it('encodes keys in their order, without those that are undefined', () => {
  expect(encodeCbor({ bb: 1, c: undefined, a: 2 }).toString('hex')).toBe('a261610262626201')
})

it('refuses what is no safe integer', () => {
  for (const value of [0.5, 2 ** 53]) expect(() => encodeCbor({ value })).toThrow(TypeError)
})
