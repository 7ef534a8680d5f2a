import { mkdirSync, rmSync } from 'node:fs'
import type pg from 'pg'
import type { DestinationStream, Logger } from 'pino'
import { refuseOlderLog } from '#projections/engine/refuseOlderLog.ts'
import { recountRegistrations } from '../accounts/readUsers.ts'
import { countVisits } from '../analytics/countVisits.ts'
import type { FindOrigin } from '../kernel/eventsourcing/command.ts'
import { createOrigins } from '../kernel/eventsourcing/createOrigins.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { createEventStoreDb } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { createHandle, type Handle } from '../kernel/eventsourcing/handle.ts'
import { createPostgresEventStore, installEventTable } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { makeTemporaryDir } from '../kernel/media/temporaryDir.ts'
import { instrumentChanges, instrumentStore } from '../kernel/observability/instrument.ts'
import { createObservability, type Observability } from '../kernel/observability/observability.ts'
import { createCalendar } from '../kernel/postgres/calendar.ts'
import { type Changes, listenToChanges } from '../kernel/postgres/changes.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { Leases } from '../kernel/postgres/leases.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { type Database, openDatabase } from '../kernel/postgres/orm.ts'
import type { Calendar, Clock } from '../kernel/time.ts'
import type { MinimaxTiming } from '../providers/video/minimax/minimax.ts'
import type { VideoProvider } from '../tasks/videoProvider.port.ts'
import type { Config } from './config/readConfig.ts'
import { ENTITIES, MIGRATIONS, migrateSchema } from './schema.ts'

/** Parts that a test replaces. */
export interface Overrides {
  readonly provider?: VideoProvider
  /** Shorter intervals for MiniMax; `callbacks` also registers callbacks at a private address. */
  readonly minimax?: Partial<MinimaxTiming> & { readonly callbacks?: boolean }
  readonly now?: Clock
  /** Receives the log lines. */
  readonly logTo?: DestinationStream
}

/** Infrastructure that every role builds on. */
export interface Context {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly calendar: Calendar
  /** Moves the calendar forward by milliseconds and returns its new time; undefined in production. */
  readonly advanceCalendar: ((ms: number) => Promise<number>) | undefined
  /** Scratch folder, removed on close. */
  readonly temporaryDir: string
  readonly pool: pg.Pool
  readonly database: Database
  readonly store: EventStore
  readonly handle: Handle
  readonly findOrigin: FindOrigin
  /** Notifications about updated read models and queued rows. */
  readonly changes: Changes
  readonly leases: Leases
  readonly observability: Observability
  /** Settles when the embedded database server exits. */
  readonly databaseGone: Promise<void>
  close(): Promise<void>
}

/** Query timeout, ms. Migrations are exempt: they may take longer. */
const QUERY_TIMEOUT_MS = 60_000

/**
 * Opens the database and the event store, migrates the schema, and subscribes to changes.
 * @throws ConfigError, StoreUnavailable
 */
export async function openContext(config: Config, log: Logger, { now = Date.now }: Overrides): Promise<Context> {
  mkdirSync(config.dataDir, { recursive: true })
  const temporaryDir = makeTemporaryDir(config.dataDir)
  const { url } = config.database ?? {}
  const server = await connectDatabase({ databaseUrl: url, dataDir: config.dataDir }, (line) =>
    log.debug({ line }, 'postgres'),
  )
  const connection = { ...server.connection, query_timeout: QUERY_TIMEOUT_MS }
  let closing = false
  const pool = openPool({ ...connection, max: 12 }, (error) => {
    if (!closing) log.error({ err: error }, 'database connection lost')
  })
  const migrating = await openDatabase(server.connection, ENTITIES, MIGRATIONS)
  await migrateSchema(migrating, pool)
  await migrating.close()
  const database = await openDatabase(connection, ENTITIES, MIGRATIONS)
  await countVisits(pool, config.operators.timeZone, recountRegistrations)

  const eventLog = await openEventStore(config, pool, log)
  try {
    await refuseOlderLog(database, eventLog)
  } catch (error) {
    await eventLog.close()
    await database.close()
    await pool.end()
    await server.stop()
    throw error
  }
  const allChanges = listenToChanges(server.connection)
  const moved = config.production ? undefined : await createCalendar(pool, allChanges, now)
  const calendar: Calendar = moved?.calendar ?? (() => now())
  const observability = createObservability(log)
  const store = instrumentStore(observability.metrics, eventLog)
  const changes = instrumentChanges(observability.metrics, allChanges)
  const leases = new Leases(server.connection, (error, lease) => log.warn({ err: error, lease }, 'lease lost'))

  return {
    config,
    log,
    clock: now,
    calendar,
    advanceCalendar: moved?.advance,
    temporaryDir,
    pool,
    database,
    store,
    handle: createHandle(store),
    findOrigin: createOrigins(store),
    changes,
    leases,
    observability,
    databaseGone: server.exited,
    async close() {
      await leases.close()
      await changes.close()
      await store.close()
      await database.close()
      // Connections that break while the server stops are expected.
      closing = true
      await pool.end()
      await server.stop()
      rmSync(temporaryDir, { recursive: true, force: true })
    },
  }
}

async function openEventStore({ eventStore }: Config, pool: pg.Pool, log: Logger): Promise<EventStore> {
  if (eventStore) return createEventStoreDb({ ...eventStore, log })
  await installEventTable(pool)
  return createPostgresEventStore(pool)
}
