import { describe, expect, it } from 'vitest'
import { describeMutant, generateMutants, mutate } from './generateMutants.ts'

/** Returns what the expression of `const x = …` becomes. */
const mutantsOf = (code: string) =>
  generateMutants('x.ts', code).map((mutant) =>
    mutate(code, mutant)
      .replace(/^const x = /, '')
      .replaceAll(/ +/g, ' '),
  )

describe('mutants', () => {
  it.for([
    ['a < b', ['a <= b', 'a >= b', 'true', 'false']],
    ['a - b', ['a + b', 'a', 'b']],
    ['a && !b', ['a', '!b', 'true', 'false', 'a && b']],
    ['a?.b ?? c', ['a?.b', 'c', 'a.b ?? c']],
    ['a ? 1 : 2', ['true ? 1 : 2', 'false ? 1 : 2', 'a ? 2 : 2', 'a ? 0 : 2', 'a ? 1 : 3', 'a ? 1 : 1']],
    ["[...a, 'b']", ["[ 'b']", '[...a, ]', "[...a, '']"]],
    ['{ ...a, b }', ['{ b }', '{ ...a, }']],
    ['a.filter(b)', ['a']],
    ['a.some(b)', ['a.every(b)']],
    ["'a sentence'", []],
    ['[]', ['[undefined]']],
  ] as const)('of %s', ([code, expected]) => {
    expect(mutantsOf(`const x = ${code}`)).toEqual(expected)
  })

  it('drop statements', () => {
    const mutants = mutantsOf('function f() { a(); if (b) return 1; else c() }')
    expect(mutants).toContain('function f() { ; if (b) return 1; else c() }')
    expect(mutants).toContain('function f() { a(); if (b) ; else c() }')
    expect(mutants).toContain('function f() { a(); if (b) return 1; else {} }')
  })

  it('leave types and imports alone', () => {
    expect(mutantsOf("import a from './a.ts'\ntype B = 'b' | 1\nlet c: 'd'")).toEqual([])
  })

  it('can be limited to one function', () => {
    const code = 'const one = () => 1\nfunction two() { return a }'
    expect(generateMutants('x.ts', code, 'two').map((mutant) => describeMutant(code, mutant))).toEqual([
      { code: 'function two() { return a }', change: 'return a → ;' },
    ])
  })
})
