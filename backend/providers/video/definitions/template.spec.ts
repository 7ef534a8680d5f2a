import { describe, expect, it } from 'vitest'
import { fill, type Json, referencesOf, templateFaults } from './template.ts'

const values = { prompt: 'A cat', seed: 7, sound: false, frame: 'data:1', references: ['a', 'b'], ratio: '9:16' }

describe('a template', () => {
  it.each<[string, Json, Json | undefined]>([
    ['keeps the type of a whole reference', { seed: '{seed}', sound: '{sound}' }, { seed: 7, sound: false }],
    ['writes a reference into text', 'Say: {prompt}, {seed}', 'Say: A cat, 7'],
    ['leaves out a text with a reference that has no value', { a: '{prompt}', b: '{none} s' }, { a: 'A cat' }],
    ['leaves out an object whose references have no value', [{ role: 'last', image: { url: '{none}' } }, 'x'], ['x']],
    ['keeps an object of constants', { a: { b: 1 }, c: '{prompt}' }, { a: { b: 1 }, c: 'A cat' }],
    ['repeats a part for each item', [{ $each: '{references}', as: { url: '{item}' } }], [{ url: 'a' }, { url: 'b' }]],
    ['repeats a part for no item', { list: [{ $each: '{none}', as: '{item}' }], p: '{prompt}' }, { p: 'A cat' }],
    ['takes the first part with a value', { $first: ['{none}', { $first: [] }, '{ratio}', '16:9'] }, '9:16'],
    ['falls back to a constant', { $first: ['{none}', '16:9'] }, '16:9'],
    ['branches by presence', { $if: '{frame}', yes: 'adaptive', no: '{ratio}' }, 'adaptive'],
    ['branches by absence and by false', { $if: '{sound}', yes: 1, no: { $if: '{none}', yes: 2, no: 3 } }, 3],
    ['maps a text', { $map: '720P {ratio}', to: { '720P 9:16': '720:1280' } }, '720:1280'],
    ['leaves out a text that is not mapped', { $map: '{seed}', to: { 8: 'x' } }, undefined],
  ])('%s', (_, template, expected) => {
    expect(fill(template, values)).toEqual(expected)
  })

  it('does not fill references inside a value', () => {
    expect(fill({ text: 'Say {prompt}' }, { prompt: '{seed}', seed: 1 })).toEqual({ text: 'Say {seed}' })
  })

  it('lists its references and its faults', () => {
    expect(referencesOf({ a: ['{x} {y}'], b: { $if: '{z}', yes: '{x}' } })).toEqual(['x', 'y', 'z', 'x'])
    expect(templateFaults({ a: [{ $eval: '1' }], b: { $map: '{x}' }, c: { $if: '{x}', yes: 1, maybe: 2 } })).toEqual([
      '$eval is not one of $first, $if, $map, $each',
      '$map lacks its part named to',
      '$if has no part named maybe',
    ])
  })
})
