import { expect, it, vi } from 'vitest'
import { startTemporaryPostgres } from '../../postgres/testing/temporaryPostgres.ts'
import type { GlobalPosition, Stored } from '../eventStore.port.ts'
import { aStream, event, follow, many } from '../testing/followLog.ts'
import { createPostgresEventStore, installEventTable } from './postgresEventStore.ts'

it('delivers its own appends without a read, exactly as they are stored', async () => {
  const postgres = await startTemporaryPostgres()
  await installEventTable(postgres.pool)
  const own = createPostgresEventStore(postgres.pool)
  const stream = aStream()
  let live: () => void
  const joined = new Promise<void>((resolve) => {
    live = resolve
  })
  const leaving = new AbortController()
  const seen: Stored[] = []
  const following = (async () => {
    const options = { signal: leaving.signal, from: await own.head(), onLive: () => live() }
    for await (const batch of own.subscribeAll(options)) seen.push(...batch.events)
  })()
  await joined
  const listening = "select from pg_stat_activity where query = 'listen event'"
  await expect.poll(async () => (await postgres.pool.query(listening)).rowCount).toBe(1)
  await own.append(aStream(), 'no_stream', [event('First')])
  await expect.poll(() => seen.splice(0)).toHaveLength(1)
  const query = vi.spyOn(postgres.pool, 'query')
  const data = { long: 'é\u2028"', nested: { b: [1, 1e21, null], a: -0.5 } }
  await own.append(stream, 'no_stream', [event('A', data), event('B')])
  await own.appendAll!([
    { stream, expected: 1, events: [event('C')] },
    { stream: aStream(), expected: 'no_stream', events: many(3, 'D') },
  ])
  await expect.poll(() => seen).toHaveLength(6)
  const reads = query.mock.calls.filter(([sent]) => (sent as { name?: string }).name === 'event_read_all')
  expect(reads).toEqual([])
  const before = String(Number(seen[0]!.position) - 1).padStart(20, '0') as GlobalPosition
  const again = await follow(own, { from: before, until: ({ length }) => length >= 6 })
  expect(seen).toEqual(again.events.slice(0, 6))
  leaving.abort()
  await following
  await own.close()
  await postgres.close()
})
