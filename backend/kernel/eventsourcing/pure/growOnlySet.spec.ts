import { describe, expect, it } from 'vitest'
import { GrowOnlySet } from './growOnlySet.ts'

const of = (...ids: string[]) => ids.reduce((set, id) => set.add(id), GrowOnlySet.empty)
const members = (set: GrowOnlySet, ...ids: string[]) => ids.filter((id) => set.has(id))

describe('GrowOnlySet', () => {
  it('contains the added ids only', () => {
    const set = of('a', 'b')
    expect([members(set, 'a', 'b', 'c'), set.size]).toEqual([['a', 'b'], 2])
  })
  it('returns itself when the id is already contained', () => {
    const set = of('a', 'b')
    expect(set.add('a')).toBe(set)
  })
  it('does not change earlier versions', () => {
    const one = of('a')
    const two = one.add('b')
    expect(members(one, 'a', 'b')).toEqual(['a'])
    expect(members(two, 'a', 'b')).toEqual(['a', 'b'])
    expect(members(GrowOnlySet.empty, 'a', 'b')).toEqual([])
  })
  it('supports two branches of one version', () => {
    const root = of('a')
    const left = root.add('b').add('c')
    const right = root.add('d').add('b')
    const leftAgain = left.add('e')
    const all = ['a', 'b', 'c', 'd', 'e']
    expect(members(left, ...all)).toEqual(['a', 'b', 'c'])
    expect(members(right, ...all)).toEqual(['a', 'b', 'd'])
    expect(members(leftAgain, ...all)).toEqual(['a', 'b', 'c', 'e'])
    expect([root.size, left.size, right.size, leftAgain.size]).toEqual([1, 3, 3, 4])
  })
  it('adds 100,000 ids without copying', () => {
    const began = performance.now()
    let set = GrowOnlySet.empty
    for (let n = 0; n < 100_000; n++) set = set.add(`id${n}`)
    expect([set.size, set.has('id99999'), set.has('id100000')]).toEqual([100_000, true, false])
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
