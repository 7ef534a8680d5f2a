import { describe, expect, it } from 'vitest'
import { faultOf, regexesOf } from './regexes.ts'

const faultsIn = (text: string) => Promise.all(regexesOf('some.ts', text).map(faultOf))

describe('check of regular expressions', () => {
  it('rejects a quadratic expression and names its place', async () => {
    const [fault] = await faultsIn(
      'const slashes = 1\nexport const strip = (text: string) => text.replace(/\\/+$/, "")',
    )
    expect(fault).toMatch(/^some\.ts:2: .* is 2nd degree polynomial$/)
  })
  it('accepts a linear expression', async () => {
    expect(await faultsIn('/^[a-z]+$/.test(text)')).toEqual([undefined])
  })
})
