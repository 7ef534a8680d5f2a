import { afterEach, expect, it, vi } from 'vitest'
import { EventStoreDbConnection } from './eventStoreDbConnection.ts'
import { parseEventStoreUrl } from './eventStoreDbSettings.ts'

afterEach(() => void vi.useRealTimers())

it('replaces a failed connection although the clock has gone back', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  const connection = new EventStoreDbConnection(parseEventStoreUrl('esdb://127.0.0.1:1?tls=false'), { warn() {} })
  const failed = connection.client
  vi.advanceTimersByTime(250)
  vi.setSystemTime(Date.now() - 3_600_000)
  connection.renew(failed)
  expect(connection.client).not.toBe(failed)
  await connection.close()
})

it('accepts the schemes of EventStoreDB and of KurrentDB for the same address', () => {
  const rest = 'kinora:secret@e1:2113,e2:2113?tls=false'
  const expected = parseEventStoreUrl(`esdb://${rest}`)
  for (const scheme of ['kurrentdb', 'kurrent', 'kdb']) {
    expect(parseEventStoreUrl(`${scheme}://${rest}`)).toEqual(expected)
    expect(parseEventStoreUrl(`${scheme}+discover://events.internal`)).toMatchObject({ isDnsName: true })
  }
  expect(() => parseEventStoreUrl(`http://${rest}`)).toThrow('is not an address')
})
