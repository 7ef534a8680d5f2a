import { expect, it, onTestFinished } from 'vitest'
import { startEmbeddedPostgres } from '../../postgres/embeddedPostgres.ts'
import { startTemporaryPostgres } from '../../postgres/testing/temporaryPostgres.ts'
import {
  type Appended,
  AppendOutcomeUnknown,
  type EventStore,
  type Expected,
  type StreamAppend,
} from '../eventStore.port.ts'
import { event, follow } from '../testing/followLog.ts'
import { createPostgresEventStore, installEventTable } from './postgresEventStore.ts'

const kills = 5
const writers = 12

it('keeps acknowledged events, without duplicates, gaps or halves, when Postgres is killed under load', async () => {
  const postgres = await startTemporaryPostgres()
  const { dataDir, pool } = postgres
  await installEventTable(pool)
  const store = createPostgresEventStore(pool)
  let server = postgres.server
  onTestFinished(async () => {
    await store.close()
    await server.stop()
    await postgres.close()
  })

  const acknowledged = new Map<string, Appended>()
  let working = true
  const writer = async (name: string) => {
    let expected: Expected = 'no_stream'
    while (working) {
      const events = [event('Written'), event('Written')]
      const half = { stream: `half-${name}`, expected, events: [event('Half'), event('Half')] }
      const appended = await persist(store, { stream: name, expected, events }, half)
      acknowledged.set(events[0]!.id, appended)
      expected = appended.revision
    }
  }
  const writing = Array.from({ length: writers }, (_, n) => writer(`load-${n}`))
  const following = follow(store, { until: (seen) => seen.at(-1)?.type === 'Ended' })

  for (let kill = 0; kill < kills; kill++) {
    const before = acknowledged.size
    await expect.poll(() => acknowledged.size).toBeGreaterThanOrEqual(before + 200)
    process.kill(server.pid, 'SIGKILL')
    await server.exited
    server = await startEmbeddedPostgres({ dataDir, durable: false })
  }
  const before = acknowledged.size
  await expect.poll(() => acknowledged.size).toBeGreaterThanOrEqual(before + 200)
  working = false
  await Promise.all(writing)
  await store.append('last', 'no_stream', [event('Ended')])

  const { events } = await following
  const { rows } = await pool.query('select position::int, stream, revision::int, id from event order by position')
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1))
  expect(rows).toHaveLength(4 * acknowledged.size + 1)
  expect(events.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  const stored = new Map(rows.map((row) => [row.id, row]))
  for (const [id, { revision, position }] of acknowledged) {
    expect(stored.get(id)).toMatchObject({ revision: revision - 1, position: Number(position) - 1 })
  }
})

/** Retries with the same ids and expectation until the outcome is known. Returns the result of the first stream. */
async function persist(store: EventStore, ...parts: readonly StreamAppend[]): Promise<Appended> {
  for (;;) {
    try {
      return (await store.appendAll!(parts))[0]!
    } catch (error) {
      if (!(error instanceof AppendOutcomeUnknown)) throw error
    }
  }
}
