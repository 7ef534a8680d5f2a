import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Pool } from './pool.ts'

/** Queues calls on a pool whose only slot is taken, and returns the order in which they run. */
async function order(calls: readonly [name: string, owner: string, priority: number][]): Promise<string[]> {
  const pool = new Pool(1)
  const turns: string[] = []
  const first = Promise.withResolvers<void>()
  const taken = pool.run({}, () => first.promise)
  const waiting = calls.map(([name, owner, priority]) =>
    pool.run({ owner, priority }, async () => void turns.push(name)),
  )
  first.resolve()
  await Promise.all([taken, ...waiting])
  return turns
}

describe('a pool of slots', () => {
  it('runs as many calls concurrently as it has slots', async () => {
    const pool = new Pool(3)
    let running = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await turn()
      running--
    }
    await Promise.all(Array.from({ length: 20 }, () => pool.run({}, work)))
    expect([most, running]).toEqual([3, 0])
  })

  it('serves calls by priority, and equal ones in order of arrival', async () => {
    const calls = [
      ['c', 'x', 4],
      ['b', 'y', 2],
      ['d', 'z', 4],
      ['a', 'w', 1],
    ] as const
    expect(await order(calls.map((call) => [...call]))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('serves owners of equal priority in turn', async () => {
    const many = ['a1', 'a2', 'a3', 'a4'].map((name): [string, string, number] => [name, 'a', 3])
    expect(await order([...many, ['b1', 'b', 3], ['c1', 'c', 3], ['b2', 'b', 3]])).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'b2',
      'a3',
      'a4',
    ])
  })

  it('gives a new owner no precedence over those already waiting', async () => {
    const pool = new Pool(1)
    const turns: string[] = []
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
    const call = (name: string, owner: string, gate?: Promise<void>) =>
      pool.run({ owner, priority: 3 }, async () => {
        turns.push(name)
        await gate
      })
    const all = [
      call('a1', 'a', gates[0]!.promise),
      call('a2', 'a', gates[1]!.promise),
      call('a3', 'a'),
      call('a4', 'a'),
    ]
    gates[0]!.resolve()
    await all[0]
    all.push(call('b1', 'b'), call('b2', 'b'))
    gates[1]!.resolve()
    await Promise.all(all)
    expect(turns).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'b2'])
  })

  it('releases the slot when the work fails', async () => {
    const pool = new Pool(1)
    const failing = pool.run({}, () => Promise.reject(new Error('no')))
    const next = pool.run({}, async () => 'yes')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('yes')
    expect(await pool.run({}, async () => 'again')).toBe('again')
  })

  it('lets a call in at once, and no other one until there is room again', async () => {
    const pool = new Pool(1)
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const turns: string[] = []
    const note = (name: string, until: Promise<void>) => () => {
      turns.push(name)
      return until
    }
    const calls = [
      pool.run({}, note('first', first.promise)),
      pool.run({}, note('waiting', Promise.resolve())),
      pool.run({ atOnce: true }, note('at once', second.promise)),
    ]
    first.resolve()
    await calls[0]
    await turn()
    expect(turns).toEqual(['first', 'at once'])
    second.resolve()
    await Promise.all(calls)
    expect(turns).toEqual(['first', 'at once', 'waiting'])
  })
})
