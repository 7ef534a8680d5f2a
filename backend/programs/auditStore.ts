import type pg from 'pg'
import { readOnlyPool } from '../audit/postgresEvidence.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { createEventStoreDb } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { createPostgresEventStore } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'

/** Where a ledger lies, in words that pass to another thread. */
export interface LedgerPlace {
  readonly postgres: pg.ClientConfig
  /** Where it is set, the log lies there, and the rows alone in Postgres. */
  readonly eventStoreDb: string | undefined
}

/** Opens a ledger to read. `close` closes both. */
export function openLedgerStore({ postgres, eventStoreDb }: LedgerPlace) {
  const pool = readOnlyPool(postgres)
  const store: EventStore = eventStoreDb ? createEventStoreDb({ url: eventStoreDb }) : createPostgresEventStore(pool)
  return {
    pool,
    store,
    async close() {
      await store.close()
      await pool.end()
    },
  }
}
