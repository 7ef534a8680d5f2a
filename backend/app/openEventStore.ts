import type pg from 'pg'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { createEventStoreDb, type EventStoreDbOptions } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { createPostgresEventStore } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import type { EventStoreConfig } from './config/eventStoreConfig.ts'

/** Opens the configured event log, which is in Postgres if `eventStore` is undefined. */
export const openEventStore = (
  eventStore: EventStoreConfig | undefined,
  pool: pg.Pool,
  options: Pick<EventStoreDbOptions, 'log' | 'endSubscriptionsAfter'>,
): EventStore => (eventStore ? createEventStoreDb({ ...eventStore, ...options }) : createPostgresEventStore(pool))
