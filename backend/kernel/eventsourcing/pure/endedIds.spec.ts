import { describe, expect, it } from 'vitest'
import { uuid7 } from '../uuid7.ts'
import { type EndedIds, hasEnded, noEndedIds, withEnded } from './endedIds.ts'
import { derivedId } from './eventHash.ts'

const START = Date.UTC(2026, 0, 1)
/** Returns the id of the n-th thing. */
const made = (n: number) => uuid7(START + n)
const having = (ids: readonly string[], from = noEndedIds): EndedIds => ids.reduce(withEnded, from)
const ids = (count: number, from = 0) => Array.from({ length: count }, (_, n) => made(from + n))

describe('ended ids', () => {
  it('contain the added ids only', () => {
    const [a, b, c] = ids(3) as [string, string, string]
    expect([a, b, c].map((id) => hasEnded(having([c, a]), id))).toEqual([true, false, true])
    expect(hasEnded(noEndedIds, a)).toBe(false)
  })

  it('contain every id that was ever added, in whatever order', () => {
    const all = ids(10_000)
    const mixed = all.toSorted((a, b) => (a.slice(-8) < b.slice(-8) ? -1 : 1))
    for (const order of [all, all.toReversed(), mixed]) {
      const ended = having(order)
      expect(all.filter((id) => !hasEnded(ended, id))).toEqual([])
    }
  })

  it('do not contain a new id unless more than 1,024 newer ones have ended', () => {
    const [late, ...newer] = ids(4_000) as [string, ...string[]]
    expect(hasEnded(having(newer.slice(0, 1_024)), late)).toBe(false)
    expect(hasEnded(having(newer), late)).toBe(true)
    expect(ids(100, 4_000).filter((id) => hasEnded(having(newer), id))).toEqual([])
  })

  it('accept new ids after one from a clock that ran ahead', () => {
    const ahead = uuid7(START + 1e12)
    const ended = having(ids(5_000), having([ahead]))
    expect([hasEnded(ended, ahead), hasEnded(ended, made(5_001))]).toEqual([true, false])
  })

  it('stay small', () => {
    const size = (count: number) => JSON.stringify(having(ids(count))).length
    expect(size(50_000)).toBeLessThan(90_000)
  })

  it('keep ids of other formats, which have no order in time', () => {
    const others = Array.from({ length: 3_000 }, (_, n) => derivedId('task', n))
    const ended = having(others, having(ids(3_000)))
    expect(others.filter((id) => !hasEnded(ended, id))).toEqual([])
    expect([derivedId('task', 3_000), '', 'zzz', made(4_000)].filter((id) => hasEnded(ended, id))).toEqual([])
  })

  it('do not change earlier versions, and return the same version for a known id', () => {
    const one = having(ids(1))
    const two = having(ids(1, 1), one)
    expect([hasEnded(one, made(1)), withEnded(two, two.newest[0]!)]).toEqual([false, two])
    expect(withEnded(two, two.newest[0]!)).toBe(two)
  })
})
