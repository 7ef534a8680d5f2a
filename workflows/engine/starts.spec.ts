import { describe, expect, it, vi } from 'vitest'
import { type Start, Starts } from './starts.ts'

const engine = { start: async () => {}, signal: async () => {} }
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Starts that finish or fail when the test says so. */
function controlled({ inFlight = 2, background = [] as Start[] } = {}) {
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const pauses: (() => void)[] = []
  const onError = vi.fn()
  const start = (name: string, entity = name, priority = 3): Start => ({
    entity,
    priority,
    run() {
      begun.push(name)
      const end = Promise.withResolvers<void>()
      ends.set(name, end)
      return end.promise
    },
  })
  const pause = () => new Promise<void>((resolve) => pauses.push(resolve))
  const starts = new Starts({ engine, inFlight, background: background.values(), pause, onError })
  const settle = async (name: string, error?: Error) => {
    const end = ends.get(name)!
    if (error) end.reject(error)
    else end.resolve()
    await turn()
  }
  const repeat = async () => {
    for (const resume of pauses.splice(0)) resume()
    await turn()
  }
  return { starts, start, begun, settle, repeat, onError }
}

describe('starts', () => {
  it('run at most as many at once as are allowed', async () => {
    const { starts, start, begun, settle } = controlled()
    for (const name of ['a', 'b', 'c']) starts.add(start(name))
    expect(begun).toEqual(['a', 'b'])
    await settle('a')
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('run by priority, and in the order of their addition', async () => {
    const { starts, start, begun, settle } = controlled({ inFlight: 1 })
    starts.add(start('first'))
    for (const [name, priority] of [
      ['free 1', 4],
      ['free 2', 4],
      ['paid 1', 1],
      ['paid 2', 1],
    ] as const)
      starts.add(start(name, name, priority))
    for (const name of ['first', 'paid 1', 'paid 2', 'free 1']) await settle(name)
    expect(begun).toEqual(['first', 'paid 1', 'paid 2', 'free 1', 'free 2'])
  })

  it('keep the order of one entity, even if a later start has a higher priority or an earlier one fails', async () => {
    const { starts, start, begun, settle, repeat } = controlled()
    starts.add(start('start of a', 'a', 4))
    starts.add(start('signal to a', 'a', 1))
    expect(begun).toEqual(['start of a'])
    await settle('start of a', new Error('refused'))
    expect(begun).toEqual(['start of a'])
    await repeat()
    await settle('start of a')
    expect(begun).toEqual(['start of a', 'start of a', 'signal to a'])
  })

  it('repeat failed starts and report them together, while others run', async () => {
    const { starts, start, begun, settle, repeat, onError } = controlled()
    for (const name of ['a', 'b', 'c', 'd']) starts.add(start(name))
    await settle('a', new Error('down'))
    await settle('b', new Error('down'))
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
    expect(onError).not.toHaveBeenCalled()
    await repeat()
    expect(onError.mock.calls).toEqual([[new Error('down'), 2]])
    await settle('c')
    await settle('d')
    expect(begun.slice(4)).toEqual(['a', 'b'])
  })

  it('take background starts only while nothing else is ready', async () => {
    const names: string[] = []
    const quick = (name: string): Start => ({ entity: name, priority: 1, run: async () => void names.push(name) })
    const background = ['x', 'y', 'z'].map(quick)
    const { starts, start, begun, settle } = controlled({ inFlight: 1, background })
    expect(names).toEqual(['x'])
    starts.add(start('a', 'a', 5))
    await turn()
    expect([names, begun]).toEqual([['x'], ['a']])
    await settle('a')
    await turn()
    expect(names).toEqual(['x', 'y', 'z'])
  })

  it('tell when there is room for more', async () => {
    const { starts, start, settle } = controlled()
    for (const name of ['a', 'b', 'c']) starts.add(start(name))
    const onRoom = vi.fn()
    const waiting = starts.room(2).then(onRoom)
    await settle('a')
    expect(onRoom).not.toHaveBeenCalled()
    await settle('b')
    await waiting
    expect(onRoom).toHaveBeenCalledOnce()
  })

  it('wait for those in flight when stopped, and begin no others', async () => {
    const { starts, start, begun, settle } = controlled({ inFlight: 1 })
    starts.add(start('a'))
    starts.add(start('b'))
    const onStop = vi.fn()
    const stopping = starts.stop().then(onStop)
    await turn()
    expect(onStop).not.toHaveBeenCalled()
    await settle('a', new Error('interrupted'))
    await stopping
    expect(begun).toEqual(['a'])
  })
})
