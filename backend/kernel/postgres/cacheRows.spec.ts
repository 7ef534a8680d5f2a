import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cacheRows } from './cacheRows.ts'
import { type Change, RELISTENED } from './changes.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => vi.useRealTimers())

/** A table of plans, and a cache of it that a notification reaches. */
function setup() {
  const plans = new Map([
    ['ann', 'free'],
    ['ben', 'pro'],
  ])
  const reads: string[] = []
  const listeners = new Set<(change: Change) => void>()
  const subscribe = (listener: (change: Change) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const gate = { open: Promise.resolve() }
  const read = cacheRows({ subscribe }, 'plans', async (id) => {
    reads.push(id)
    const plan = plans.get(id)
    await gate.open
    return plan
  })
  const notify = (name: string, ...ids: string[]) => {
    for (const listener of listeners) listener({ name, ids })
  }
  return { plans, reads, read, notify, gate }
}

it('reads a row once', async () => {
  const { reads, read } = setup()
  expect([await read('ann'), await read('ann'), await read('ben')]).toEqual(['free', 'free', 'pro'])
  expect(reads).toEqual(['ann', 'ben'])
})

it('reads a row again after it changed, and keeps the others', async () => {
  const { plans, reads, read, notify } = setup()
  await Promise.all(['ann', 'ben'].map(read))
  plans.set('ann', 'ultimate')
  notify('balances', 'ann')
  expect(await read('ann')).toBe('free')
  notify('plans', 'ann')
  expect([await read('ann'), await read('ben')]).toEqual(['ultimate', 'pro'])
  expect(reads).toEqual(['ann', 'ben', 'ann'])
})

it.each(['plans', RELISTENED])('reads all rows again after %s names none', async (name) => {
  const { reads, read, notify } = setup()
  await Promise.all(['ann', 'ben'].map(read))
  notify(name)
  await Promise.all(['ann', 'ben'].map(read))
  expect(reads).toEqual(['ann', 'ben', 'ann', 'ben'])
})

it('does not keep a row that changed while it was read', async () => {
  const { plans, read, notify, gate } = setup()
  const { promise, resolve } = Promise.withResolvers<void>()
  gate.open = promise
  const reading = read('ann')
  plans.set('ann', 'ultimate')
  notify('plans', 'ann')
  resolve()
  expect([await reading, await read('ann')]).toEqual(['free', 'ultimate'])
})

it('reads a row again after ten seconds, because notifications can be lost', async () => {
  const { plans, read } = setup()
  await read('ann')
  plans.set('ann', 'ultimate')
  vi.advanceTimersByTime(9_999)
  expect(await read('ann')).toBe('free')
  vi.advanceTimersByTime(1)
  expect(await read('ann')).toBe('ultimate')
})

it('does not grow without limit', async () => {
  const { reads, read } = setup()
  for (let n = 0; n < 10_001; n++) await read(`user ${n}`)
  reads.length = 0
  await read('user 10000')
  await read('user 0')
  expect(reads).toEqual(['user 0'])
})
