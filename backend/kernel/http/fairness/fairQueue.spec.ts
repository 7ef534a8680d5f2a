import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Client, createFairQueue, type FairQueue } from './fairQueue.ts'

const client = (name: string, rate = 10, running = 2, waiting = 100): Client => ({
  budgets: [{ key: name, rate }],
  running,
  waiting,
})

let queue: FairQueue
let started: string[]
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  queue = createFairQueue()
  started = []
})
afterEach(() => vi.useRealTimers())

/** Sends requests that end when they start, unless `hold` is set. */
const send = (who: Client, count: number, { hold = false, units = 1, name = who.budgets[0].key } = {}) => {
  for (let n = 0; n < count; n++)
    void queue.enter(who, units).then((visit) => {
      started.push(name)
      if (!hold) visit.leave()
    })
  return vi.advanceTimersByTimeAsync(0)
}

describe('a client', () => {
  it('sends a burst of one second without a wait, then its rate', async () => {
    await send(client('a'), 40)
    expect(started).toHaveLength(10)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(started).toHaveLength(20)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(started).toHaveLength(40)
  })

  it('loads a page with 80 files and 30 calls without a wait', async () => {
    const visitor = client('a', 40, 8)
    await send(visitor, 80, { units: 0.1 })
    await send(visitor, 30)
    expect(started).toHaveLength(110)
  })

  it('does not wait for a clock that was set back', async () => {
    await send(client('a'), 1)
    vi.setSystemTime(Date.now() - 3_600_000)
    await send(client('a'), 1)
    expect(started).toHaveLength(2)
  })

  it('has a limited number of requests in progress', async () => {
    await send(client('a'), 5, { hold: true })
    expect(started).toHaveLength(2)
  })

  it('with a full queue is refused, and learns when to try again', async () => {
    await send(client('a', 10, 2, 20), 22, { hold: true })
    await expect(queue.enter(client('a', 10, 2, 20), 1)).rejects.toMatchObject({
      code: 'too_many_requests',
      fields: { retryAfter: 2 },
    })
  })

  it('does not wait for another one', async () => {
    await send(client('a'), 50, { hold: true })
    await send(client('b'), 1)
    expect(started).toEqual(['a', 'a', 'b'])
  })

  it('waits for work that was charged afterwards, at most ten seconds', async () => {
    const visit = await queue.enter(client('a'), 1)
    visit.charge(1_000_000)
    visit.leave()
    await send(client('a'), 1)
    await vi.advanceTimersByTimeAsync(9_900)
    expect(started).toEqual([])
    await vi.advanceTimersByTimeAsync(300)
    expect(started).toEqual(['a'])
  })

  it('starts its requests in order', async () => {
    for (const name of ['1', '2', '3', '4']) await send(client('a', 10, 1), 1, { name })
    expect(started).toEqual(['1', '2', '3', '4'])
  })
})

describe('clients that share a budget', () => {
  const member = (name: string): Client => ({
    ...client(name),
    budgets: [
      { key: name, rate: 10 },
      { key: 'all', rate: 20 },
    ],
  })

  it('exceed it together', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await send(member(name), 30)
    expect(started).toHaveLength(20)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(started.length).toBeGreaterThanOrEqual(38)
    expect(started.length).toBeLessThanOrEqual(40)
  })
})

it('forgets clients that have rested', async () => {
  for (let n = 0; n < 1_000; n++) await send(client(`visitor ${n}`), 1)
  expect(queue.size()).toBe(1_000)
  await vi.advanceTimersByTimeAsync(20_000)
  await send(client('another'), 1)
  expect(queue.size()).toBe(1)
})
