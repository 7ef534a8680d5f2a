import { describe, expect, it } from 'vitest'
import { parseLosslessJson } from './losslessJson.ts'

describe('parseLosslessJson', () => {
  it('keeps every digit of an integer that a double cannot represent, at any depth', () => {
    expect(parseLosslessJson('{"a":{"id":9007199254740993},"b":[-9223372036854775808],"c":9007199254740991}')).toEqual({
      a: { id: '9007199254740993' },
      b: ['-9223372036854775808'],
      c: 9_007_199_254_740_991,
    })
  })
  it('leaves other values unchanged and rejects malformed JSON', () => {
    const text = '{"a":1.5,"b":1e300,"c":"9007199254740993","d":null,"e":true}'
    expect(parseLosslessJson(text)).toEqual(JSON.parse(text))
    expect(() => parseLosslessJson('{"a":')).toThrow(SyntaxError)
  })
})
