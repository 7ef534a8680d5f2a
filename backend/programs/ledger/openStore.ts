import type pg from 'pg'
import type { EventStore } from '../../kernel/eventsourcing/eventStore.port.ts'
import { createEventStoreDb } from '../../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { createPostgresEventStore } from '../../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { openPool } from '../../kernel/postgres/openPool.ts'

/** Location of a ledger, in a form that can be sent to another thread. */
export interface LedgerPlace {
  readonly postgres: pg.ClientConfig
  /** URL of the cluster that holds the event log. If undefined, the log is in Postgres. */
  readonly eventStoreDb: string | undefined
}

export const openStore = ({ eventStoreDb }: LedgerPlace, pool: pg.Pool): EventStore =>
  eventStoreDb ? createEventStoreDb({ url: eventStoreDb }) : createPostgresEventStore(pool)

/** Opens a ledger through connections that cannot write. */
export function openReadOnly(place: LedgerPlace) {
  const pool = openPool({
    ...place.postgres,
    max: 4,
    // The pool awaits this promise before the first query.
    onConnect: (client) => client.query(`set default_transaction_read_only = on; set timezone = 'UTC'`),
  })
  const store = openStore(place, pool)
  const close = async () => {
    await store.close()
    await pool.end()
  }
  return { pool, store, close }
}
