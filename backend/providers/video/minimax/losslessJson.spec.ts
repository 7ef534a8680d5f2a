import { describe, expect, it } from 'vitest'
import { parseLossless } from './losslessJson.ts'

describe('JSON with numbers of 64 bits', () => {
  it('keeps every digit of a whole number that a double cannot hold, at any depth', () => {
    expect(parseLossless('{"a":{"id":9007199254740993},"b":[-9223372036854775808],"c":9007199254740991}')).toEqual({
      a: { id: '9007199254740993' },
      b: ['-9223372036854775808'],
      c: 9_007_199_254_740_991,
    })
  })
  it('leaves all else as it is', () => {
    const text = '{"a":1.5,"b":1e300,"c":"9007199254740993","d":null,"e":true}'
    expect(parseLossless(text)).toEqual(JSON.parse(text))
    expect(() => parseLossless('{"a":')).toThrow(SyntaxError)
  })
})
