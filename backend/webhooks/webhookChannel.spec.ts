import { expect, it } from 'vitest'
import { createWebhookChannel, retryAfterMs } from './webhookChannel.ts'

const HOUR_MS = 3_600_000

it('is tried ten times in 75 to 84 hours', () => {
  const { wait } = createWebhookChannel({} as never)
  const waits = Array.from({ length: 10 }, (_, n) => wait(n + 1))
  expect(waits.at(-1)).toBeUndefined()
  const hours = waits.slice(0, -1).reduce<number>((sum, ms) => sum + ms!, 0) / HOUR_MS
  expect([hours >= 75, hours <= 84]).toEqual([true, true])
})

it.each([
  ['120', 120_000],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['999999999999', 24 * HOUR_MS],
  ['soon', undefined],
  [undefined, undefined],
])('reads the Retry-After %s', (header, ms) => expect(retryAfterMs(header, 10_000)).toBe(ms))
