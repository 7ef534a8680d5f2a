import type pg from 'pg'
import type { EventStoreConfig } from '../../app/config/eventStoreConfig.ts'
import { openEventStore } from '../../app/openEventStore.ts'
import {
  AppendOutcomeUnknown,
  type EventStore,
  StoreRejected,
  StoreUnavailable,
} from '../../kernel/eventsourcing/eventStore.port.ts'
import { CannotConnect } from '../../kernel/postgres/connect.ts'
import { openPool } from '../../kernel/postgres/openPool.ts'

/** Location of a ledger, in a form that can be sent to another thread. */
export interface LedgerPlace {
  readonly postgres: pg.ClientConfig
  /** If undefined, the log is in Postgres. */
  readonly eventStore: EventStoreConfig | undefined
}

/** Errors of a store that cannot be used. A program prints their messages and ends. */
export const STORE_FAULTS = [StoreUnavailable, StoreRejected, AppendOutcomeUnknown, CannotConnect]

/** Time without an answer of the store after which a program ends, in milliseconds. */
const GIVE_UP_AFTER_MS = 15_000

/** Opens the event log for a program. Its calls fail within 15 seconds if the store cannot be reached. */
export const openStore = ({ eventStore }: LedgerPlace, pool: pg.Pool): Promise<EventStore> =>
  openEventStore(eventStore, pool, { endSubscriptionsAfter: GIVE_UP_AFTER_MS })

/** Opens a ledger through connections that cannot write. */
export async function openReadOnly(place: LedgerPlace) {
  const pool = openPool({
    ...place.postgres,
    max: 4,
    // The snapshot of the read models is idle while the log is read.
    idle_in_transaction_session_timeout: 0,
    // The pool awaits this promise before the first query.
    onConnect: (client) => client.query(`set default_transaction_read_only = on; set timezone = 'UTC'`),
  })
  const store = await openStore(place, pool)
  const close = async () => {
    await store.close()
    await pool.end()
  }
  return { pool, store, close }
}
