import { onTestFinished } from 'vitest'
import { startTemporaryPostgres } from '../../postgres/testing/temporaryPostgres.ts'
import type { EventStore } from '../eventStore.port.ts'
import { createEventStoreDb } from '../eventStoreDb/eventStoreDb.ts'
import { createPostgresEventStore, installEventTable } from '../postgres/postgresEventStore.ts'
import { EventStoreDbTestServer } from './eventStoreDbTestServer.ts'

const STORES = {
  async Postgres() {
    const postgres = await startTemporaryPostgres()
    onTestFinished(() => postgres.close())
    await installEventTable(postgres.pool)
    return createPostgresEventStore(postgres.pool)
  },
  async 'EventStoreDB (a double of the server)'() {
    const server = await new EventStoreDbTestServer().start()
    onTestFinished(() => server.kill())
    return createEventStoreDb({ url: server.url })
  },
}

/** The event stores, for tests that run in each. */
export const STORE_NAMES = Object.keys(STORES) as (keyof typeof STORES)[]

/** Opens an empty event store for the current test. */
export async function openStore(name: keyof typeof STORES): Promise<EventStore> {
  const store = await STORES[name]()
  onTestFinished(() => store.close())
  return store
}
