import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { createEventStoreDb } from '#backend/kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { record } from '../table/record.ts'
import { startDurableDatabase } from './durableDatabase.ts'

/**
 * Starts a PostgreSQL server, and opens the log: in it, or in the EventStoreDB of EVENTSTORE_URL. The table of docs/scaling.md is about the former, so
 * that figures of the latter are printed only.
 */
export async function startBenchStore() {
  const database = await startDurableDatabase()
  const { EVENTSTORE_URL: url, EVENTSTORE_CA: ca } = process.env
  const store: EventStore = url ? createEventStoreDb({ url, ca }) : database.store
  return {
    database,
    store,
    record: (id: string, value: number) =>
      url ? console.log(`${id} in EventStoreDB: ${value.toFixed(2)}`) : record(id, value),
    async close() {
      await store.close()
      if (url) await database.store.close()
      await database.close()
    },
  }
}
