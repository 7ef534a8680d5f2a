import type pg from 'pg'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import type { EventStoreDbOptions } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { createPostgresEventStore } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import type { EventStoreConfig } from './config/eventStoreConfig.ts'

/** Opens the configured event log, which is in Postgres if `eventStore` is undefined. */
export async function openEventStore(
  eventStore: EventStoreConfig | undefined,
  pool: pg.Pool,
  options: Pick<EventStoreDbOptions, 'log' | 'endSubscriptionsAfter'>,
): Promise<EventStore> {
  if (!eventStore) return createPostgresEventStore(pool)
  const { createEventStoreDb } = await import('../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts')
  return createEventStoreDb({ ...eventStore, ...options })
}
