import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { codeIdOf, makeCode, readCode } from './codeText.ts'

describe('a code', () => {
  it('has five groups of four characters, none of which looks like another', () => {
    const codes = Array.from({ length: 200 }, makeCode)
    for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(new Set(codes).size).toBe(200)
    expect(new Set(codes.join('')).size).toBe(33)
  })

  it.each([
    ['lower case', 'k7qm-2r4t-9xwb-0hjc-v3zd'],
    ['spaces', ' K7QM 2R4T\t9XWB 0HJC V3ZD\n'],
    ['other dashes', 'K7QM–2R4T—9XWB‐0HJC−V3ZD'],
    ['no groups', 'K7QM2R4T9XWB0HJCV3ZD'],
    ['a letter O for the zero', 'K7QM-2R4T-9XWB-OHJC-V3ZD'],
    ['full width', 'Ｋ７ＱＭ－２Ｒ４Ｔ－９ＸＷＢ－０ＨＪＣ－Ｖ３ＺＤ'],
  ])('is read with %s', (_, typed) => {
    expect(readCode(typed)).toBe('K7QM2R4T9XWB0HJCV3ZD')
  })

  it('is read with I and L for the one', () => {
    expect(readCode('IL1i-l222-3333-4444-5555')).toBe('11111222333344445555')
  })

  it.each(['', 'K7QM', 'K7QM-2R4T-9XWB-0HJC-V3ZDX', 'K7QM-2R4T-9XWB-0HJC-V3ZU', '<script>'])('is not %s', (typed) => {
    expect(readCode(typed)).toBeUndefined()
  })

  it('has an id that depends on the key', () => {
    const [key, other] = [randomBytes(32), randomBytes(32)]
    expect(codeIdOf('K7QM', key)).toBe(codeIdOf('K7QM', key))
    expect(new Set([codeIdOf('K7QM', key), codeIdOf('K7QM', other), codeIdOf('K7QN', key)]).size).toBe(3)
  })
})
