import { afterEach, expect, it, vi } from 'vitest'
import { encodeEvents } from '../encodeEvents.ts'
import { AppendOutcomeUnknown } from '../eventStore.port.ts'
import { aStream, event } from '../testing/followLog.ts'
import { PostgresAppends } from './postgresAppends.ts'

afterEach(() => void vi.useRealTimers())

it('gives up an append in time although the clock has gone back', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  const query = async () => {
    vi.advanceTimersByTime(4_000)
    vi.setSystemTime(Date.now() - 3_600_000)
    throw new Error('Connection terminated unexpectedly')
  }
  const appends = new PostgresAppends({ query } as never, { add() {}, announce() {} })
  const stream = aStream()
  const append = { stream, expected: 'no_stream', events: encodeEvents(stream, [event('A')]) } as const
  const outcome = appends.append([append]).catch((error) => error)
  expect(await outcome).toBeInstanceOf(AppendOutcomeUnknown)
})
