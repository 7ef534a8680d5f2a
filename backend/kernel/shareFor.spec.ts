import { afterEach, expect, it, vi } from 'vitest'
import { shareFor } from './shareFor.ts'

afterEach(() => void vi.useRealTimers())

it('checks again after its time although the clock has gone back', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  let checks = 0
  const shared = shareFor(2_000, async () => ++checks)
  expect([await shared(), await shared()]).toEqual([1, 1])
  vi.advanceTimersByTime(2_000)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(await shared()).toBe(2)
})
