import { describe, expect, it } from 'vitest'
import { estimateQueue, type QueuedTask, type QueueState } from './queue.ts'

const NOW = 1_000_000
const TEN = 10_000
const task = (id: string, over: Partial<QueuedTask> = {}): QueuedTask => ({
  id,
  place: null,
  startedAt: null,
  percent: null,
  startsInMs: 0,
  typicalMs: TEN,
  ...over,
})
const left = (state: Partial<QueueState>) =>
  Object.fromEntries(
    estimateQueue({ now: NOW, slots: 1, concurrent: 1, running: [], own: [], typicalMs: TEN, ...state }),
  )
const since = (ms: number) => ({ startedAt: NOW - ms, typicalMs: TEN })

describe('the estimate of a queue', () => {
  it('returns the typical time for a task that can start now', () => {
    expect(left({ own: [task('a', { place: 1 })] })).toEqual({ a: TEN })
  })

  it('uses the progress of a render once it is significant', () => {
    expect(left({ own: [task('a', { ...since(4_000), percent: 5 })] })).toEqual({ a: 6_000 })
    expect(left({ own: [task('a', { ...since(30_000), percent: 75 })] })).toEqual({ a: 10_000 })
  })

  it('never reports zero for an unfinished task', () => {
    expect(left({ own: [task('a', since(60_000))] })).toEqual({ a: 5_000 })
  })

  it('waits for slots that are reused', () => {
    const running = [since(2_000), since(9_000)]
    const own = (place: number) => [task('a', { place })]
    expect(left({ slots: 2, running, own: own(1) })).toEqual({ a: 5_000 + TEN })
    expect(left({ slots: 2, running, own: own(2) })).toEqual({ a: 8_000 + TEN })
    expect(left({ slots: 2, running, own: own(3) })).toEqual({ a: 5_000 + 2 * TEN })
    expect(left({ slots: 3, running, own: own(1) })).toEqual({ a: TEN })
    // More are rendering than was expected.
    expect(left({ slots: 1, running, own: own(2) })).toEqual({ a: 8_000 + TEN })
  })

  it('includes the backlog of tasks whose workflow has not started', () => {
    expect(left({ slots: 200, own: [task('a', { place: 1, startsInMs: 30_000 })] })).toEqual({ a: 30_000 + TEN })
    const running = [since(2_000)]
    expect(left({ running, own: [task('a', { place: 1, startsInMs: 3_000 })] })).toEqual({ a: 8_000 + TEN })
  })

  it("admits no more of the user's tasks than the plan allows", () => {
    const own = [
      task('a', since(5_000)),
      task('b', { place: 1 }),
      task('c', { place: 2, typicalMs: 2 * TEN }),
      task('d', { place: 3 }),
    ]
    expect(left({ slots: 200, concurrent: 1, own })).toEqual({ a: 5_000, b: 15_000, c: 35_000, d: 45_000 })
    expect(left({ slots: 200, concurrent: 2, own })).toEqual({ a: 5_000, b: 10_000, c: 25_000, d: 20_000 })
  })
})
