import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from './command.ts'
import { createHandle } from './handle.ts'
import { LaneCache } from './laneCache.ts'
import type { Decider, Event } from './pure/decider.ts'
import { createMemoryEventStore } from './testing/memoryEventStore.ts'

const lane = (weight: number, idle = true) => ({ weight, idle })

/** Uses lanes of these weights one after another and returns which of them stay cached. */
function kept(budget: number, weights: readonly number[], idle: (n: number) => boolean = () => true): number[] {
  const cache = new LaneCache<ReturnType<typeof lane>>(budget)
  const lanes = weights.map((weight, n) => cache.get(`s${n}`, () => lane(weight, idle(n))))
  for (const n of weights.keys()) cache.weigh(`s${n}`)
  return weights.flatMap((_, n) => (cache.get(`s${n}`, () => lane(0)) === lanes[n] ? [n] : []))
}

describe('a lane cache', () => {
  it('keeps as many lanes as fit the budget, the latest used', () => {
    expect(kept(10_000, [1_000, 1_000, 1_000])).toEqual([0, 1, 2])
    expect(kept(10_000, [8_000, 3_000, 3_000])).toEqual([1, 2])
    expect([9, 10]).toContain(kept(10_000, Array(100).fill(0)).length)
  })

  it('keeps lanes in use', () => {
    expect(kept(10_000, [8_000, 3_000, 3_000], (n) => n > 0)).toEqual([0])
  })

  it('keeps a lane that was used again', () => {
    const cache = new LaneCache<ReturnType<typeof lane>>(10_000)
    const use = (stream: string, weight: number) => {
      const used = cache.get(stream, () => lane(weight))
      cache.weigh(stream)
      return used
    }
    const first = use('a', 3_000)
    use('b', 3_000)
    use('a', 3_000)
    use('c', 3_000)
    expect(use('a', 3_000)).toBe(first)
  })
})

describe('cached lanes', () => {
  type Noted = Event<'Noted', { text: string }>
  const notes = (category: string): Decider<string, string, Noted> => ({
    category,
    schemas: { Noted: [] },
    initial: '',
    evolve: (all, { data }) => all + data.text,
    decide: (text) => [{ type: 'Noted', data: { text } }],
    weight: (all) => all.length,
  })
  const [account, task] = [notes('account'), notes('task')]

  function setup(cacheBytes: number) {
    const store = createMemoryEventStore()
    const { readStream } = store
    const read: string[] = []
    store.readStream = (stream, from) => {
      read.push(stream)
      return readStream(stream, from)
    }
    const handle = createHandle(store, { cacheBytes })
    let count = 0
    const context = (): CommandContext => ({ commandId: `${count++}`, actor: 'system', correlationId: 'c' })
    const note = async (decider: typeof account, id: string, text = '') => {
      await handle(decider, id, text, context())
      // A lane is weighed after its callers have their answers.
      await setImmediate()
    }
    return { read, note }
  }

  it('of accounts stay while any number of tasks pass', async () => {
    const { read, note } = setup(10_000)
    await note(account, 'a')
    for (let n = 0; n < 100; n++) await note(task, `${n}`)
    await note(account, 'a')
    expect(read.filter((stream) => stream === 'account-a')).toHaveLength(1)
  })

  it('count by the size of their state after the latest command', async () => {
    const { read, note } = setup(10_000)
    await note(account, 'a')
    await note(account, 'b', 'x'.repeat(10_000))
    await note(account, 'a')
    expect(read).toEqual(['account-a', 'account-b', 'account-a'])
  })
})
