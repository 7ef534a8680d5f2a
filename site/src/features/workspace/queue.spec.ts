import { beforeEach, describe, expect, it, vi } from 'vitest'
import { refreshListPeriodically } from './freshness.ts'
import { $estimates, $now, loadQueue } from './queue.ts'
import { $connected } from './realtime.ts'
import { $tasks } from './tasks.ts'

let asked: number
let tasks: readonly { id: string; position: number | null; seconds_left: number }[]
beforeEach(() => {
  asked = 0
  tasks = [
    { id: 'waiting', position: 2, seconds_left: 60 },
    { id: 'rendering', position: null, seconds_left: 60 },
  ]
  // The list, with which the queue is read too, is then read every 30 seconds.
  $connected.set(false)
  $tasks.set({ status: 'ready', tasks: [], total: 0 })
  vi.stubGlobal('fetch', async (address: string) => {
    if (!address.endsWith('/videos/queue')) throw new TypeError('not part of the test')
    asked++
    return Response.json({ global_queue: 2, user_queue_position: 2, user_in_progress: 2, user_limit: 3, tasks })
  })
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

describe('the queue', () => {
  it('counts down for a task that renders, but not for one that waits', async () => {
    await loadQueue()
    $now.set(Date.now() + 20_000)
    expect([...$estimates.get()]).toEqual([
      ['waiting', { position: 2, secondsLeft: 60 }],
      ['rendering', { position: null, secondsLeft: 40 }],
    ])
  })

  it('is read every ten seconds while a task waits, and when the page is shown again', async () => {
    vi.stubGlobal('document', { visibilityState: 'visible', documentElement: { lang: 'en', dataset: {} } })
    const events = new EventTarget()
    vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
    await loadQueue()
    refreshListPeriodically()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(asked).toBe(3)
    tasks = []
    await vi.advanceTimersByTimeAsync(11_000)
    const last = asked
    await vi.advanceTimersByTimeAsync(20_000)
    expect(asked).toBe(last)
    events.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(100)
    expect(asked).toBe(last + 1)
  })
})
