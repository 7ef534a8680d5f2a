import { expect, it } from 'vitest'
import { startTemporaryPostgres } from '../../postgres/testing/temporaryPostgres.ts'
import { aStream, follow, many } from '../testing/followLog.ts'
import { createPostgresEventStore, installEventTable } from './postgresEventStore.ts'

it('shows a new subscription the log as it is, also after the table was replaced', async () => {
  const postgres = await startTemporaryPostgres()
  await installEventTable(postgres.pool)
  const store = createPostgresEventStore(postgres.pool)
  for (const [count, type] of [
    [20, 'Former'],
    [15, 'Shorter'],
    [40, 'Longer'],
  ] as const) {
    await postgres.pool.query('truncate event')
    await store.append(aStream(), 'no_stream', many(count, type))
    const { events } = await follow(store, { maxBatch: 5, until: ({ length }) => length >= count })
    expect(new Set(events.map((event) => event.type))).toEqual(new Set([type]))
  }
  await store.close()
  await postgres.close()
})
