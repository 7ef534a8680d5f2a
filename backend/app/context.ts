import { chmodSync, rmSync, statSync } from 'node:fs'
import type pg from 'pg'
import type { DestinationStream, Logger } from 'pino'
import { readChainHead } from '#projections/credits/chainHead.ts'
import { OlderLog, refuseOlderLog } from '#projections/engine/refuseOlderLog.ts'
import { refuseWrongMasterKey, WrongMasterKey } from '../accounts/keys/masterKey.ts'
import { refuseUnfinishedRestore, UnfinishedRestore } from '../backups/recovery/unfinishedRestore.ts'
import { pause } from '../kernel/backoff.ts'
import type { FindOrigin } from '../kernel/eventsourcing/command.ts'
import { createOrigins } from '../kernel/eventsourcing/createOrigins.ts'
import { type EventStore, StoreRejected, StoreUnavailable } from '../kernel/eventsourcing/eventStore.port.ts'
import { createHandle, type Handle } from '../kernel/eventsourcing/handle.ts'
import { installEventTable } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { createPostgresSnapshots } from '../kernel/eventsourcing/postgres/postgresSnapshots.ts'
import { Quarantine } from '../kernel/eventsourcing/quarantine.ts'
import { verifyHeads } from '../kernel/eventsourcing/recordedHeads.ts'
import { type Silence, watchDeliveries } from '../kernel/eventsourcing/watchDeliveries.ts'
import type { Guard } from '../kernel/http/outgoing/guardedRequest.ts'
import { makeTemporaryDir } from '../kernel/media/temporaryDir.ts'
import { instrumentChanges, instrumentStore } from '../kernel/observability/instrument.ts'
import { createObservability, type Observability } from '../kernel/observability/observability.ts'
import { createCalendar } from '../kernel/postgres/calendar.ts'
import { type Changes, openChanges } from '../kernel/postgres/changes.ts'
import { CannotConnect } from '../kernel/postgres/connect.ts'
import { Leases } from '../kernel/postgres/leases.ts'
import { LOCK_TIMEOUT_MS } from '../kernel/postgres/openPool.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { UnsuitableDatabase } from '../kernel/postgres/proveDatabase.ts'
import type { Calendar, Clock } from '../kernel/time.ts'
import { createOperatorAlerts, SUBSCRIPTION_SILENT } from '../operators/alerts/operatorAlerts.ts'
import type { DefinitionTiming } from '../providers/video/definitions/createDefinitionProvider.ts'
import type { MinimaxTiming } from '../providers/video/minimax/minimax.ts'
import type { VideoProvider } from '../tasks/videoProvider.port.ts'
import { ConfigError } from './config/environment.ts'
import { makeDataDir } from './config/makeDataDir.ts'
import type { Config } from './config/readConfig.ts'
import { adoptLog, ForeignLog, refuseForeignLog } from './installation.ts'
import { openEventStore } from './openEventStore.ts'
import { openPostgres } from './openPostgres.ts'

/** Parts that a test replaces. */
export interface Overrides {
  readonly provider?: VideoProvider
  /** Several providers by the name that routes use. */
  readonly providers?: ReadonlyMap<string, VideoProvider>
  /** Shorter intervals for MiniMax; `callbacks` also registers callbacks at a private address. */
  readonly minimax?: Partial<MinimaxTiming> & { readonly callbacks?: boolean }
  /** Shorter intervals for provider definitions; `callbacks` also registers webhooks at a private address. */
  readonly definitions?: Partial<DefinitionTiming> & { readonly callbacks?: boolean }
  readonly now?: Clock
  /** Milliseconds that a statement waits for a lock; 0 is for ever. */
  readonly lockTimeoutMs?: number
  /** Leads push messages to a double. */
  readonly push?: Pick<Guard, 'send'>
  /** Leads requests for the documents of programs to a double. */
  readonly documents?: Pick<Guard, 'send' | 'check'>
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
  /** Returns the subscriptions of this process that deliver nothing although the log has events for them. */
  readonly silences: () => readonly Silence[]
  readonly handle: Handle
  /** Streams that commands cannot read. */
  readonly quarantine: Quarantine
  readonly findOrigin: FindOrigin
  /** Notifications about updated read models and queued rows. */
  readonly changes: Changes
  readonly leases: Leases
  readonly observability: Observability
  /** Settles when the embedded database server exits. */
  readonly databaseGone: Promise<void>
  close(): Promise<void>
}

/** Errors of {@link openContext} whose message tells the operator what to do. */
export const REFUSALS = [
  ConfigError,
  CannotConnect,
  UnsuitableDatabase,
  StoreRejected,
  ForeignLog,
  OlderLog,
  WrongMasterKey,
  UnfinishedRestore,
]

interface Opening extends Pick<Overrides, 'now' | 'lockTimeoutMs'> {
  /** Maximum wait for the event store, in milliseconds. By default there is none. */
  readonly waitMs?: number
}

/**
 * Opens the database and the event store, migrates the schema, and subscribes to changes.
 * Waits while the event store cannot be reached.
 * @throws the REFUSALS, or StoreUnavailable after `waitMs`
 */
export async function openContext(config: Config, log: Logger, options: Opening): Promise<Context> {
  const { now = Date.now, lockTimeoutMs = LOCK_TIMEOUT_MS, waitMs = Number.POSITIVE_INFINITY } = options
  makePrivate(config.dataDir)
  // Closed in reverse order, also after a failure.
  await using opened = new AsyncDisposableStack()
  const temporaryDir = makeTemporaryDir(config.dataDir)
  opened.defer(() => rmSync(temporaryDir, { recursive: true, force: true }))
  const { connection, pool, database, exited } = await openPostgres(config, log, { lockTimeoutMs, opened })
  const snapshots = createPostgresSnapshots(pool, config.secrets.session, log)
  opened.defer(() => snapshots.close())
  if (!config.eventStore) await installEventTable(pool)
  const eventLog = await openEventStore(config.eventStore, pool, { log })
  opened.defer(() => eventLog.close())
  await refuseOthers(config, { pool, database, eventLog, log, waitMs })
  const allChanges = openChanges(connection)
  opened.defer(() => allChanges.close())
  const moved = config.production ? undefined : await createCalendar(pool, connection, now)
  opened.defer(() => moved?.close())
  const observability = createObservability(log)
  const deliveries = watch(instrumentStore(observability.metrics, eventLog), pool, log)
  opened.defer(deliveries.stop)
  const { store } = deliveries
  const verifiedStore = verifyHeads(store, (stream) => readChainHead(pool, stream))
  const quarantine = new Quarantine(log)
  const findOrigin = createOrigins(store)
  const leases = new Leases(connection, (error, lease) => log.warn({ err: error, lease }, 'lease lost'))
  opened.defer(() => leases.close())
  const closing = opened.move()

  return {
    config,
    log,
    clock: now,
    calendar: moved?.calendar ?? (() => now()),
    advanceCalendar: moved?.advance,
    temporaryDir,
    pool,
    database,
    store,
    silences: deliveries.silences,
    handle: createHandle(verifiedStore, { quarantine, snapshots, onFirst: findOrigin.remember }),
    quarantine,
    findOrigin,
    changes: instrumentChanges(observability.metrics, allChanges),
    leases,
    observability,
    databaseGone: exited,
    close: () => closing.disposeAsync(),
  }
}

interface Stores extends Pick<Context, 'pool' | 'database' | 'log'> {
  readonly eventLog: EventStore
  readonly waitMs: number
}

/** Refuses stores that do not belong together, or to this installation. @throws the REFUSALS */
async function refuseOthers(config: Config, { pool, database, eventLog, log, waitMs }: Stores): Promise<void> {
  await refuseUnfinishedRestore(pool)
  await refuseWrongMasterKey(pool, config.secrets.encryption)
  await untilReachable(eventLog, log, waitMs)
  // A log in Postgres is part of the database and cannot belong to another installation.
  if (config.eventStore) await refuseForeignLog(pool, eventLog)
  await refuseOlderLog(database, eventLog)
  if (config.eventStore) await adoptLog(pool, eventLog)
}

const LOG_WAITING_EVERY_MS = 60_000

/** Resolves when events can be appended. @throws StoreRejected, or StoreUnavailable after `waitMs` */
async function untilReachable(store: EventStore, log: Logger, waitMs: number): Promise<void> {
  const giveUpAt = Date.now() + waitMs
  for (let loggedAt = Number.NEGATIVE_INFINITY; ; await pause(1_000)) {
    try {
      return await store.probe()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || Date.now() >= giveUpAt) throw error
      if (Date.now() - loggedAt < LOG_WAITING_EVERY_MS) continue
      loggedAt = Date.now()
      log.warn({ err: error }, 'event store unreachable, waiting')
    }
  }
}

const CHECK_DELIVERIES_EVERY_MS = 2_500

/** Watches the subscriptions of this process, and tells the operator of silent ones. */
function watch(eventLog: EventStore, pool: pg.Pool, log: Logger) {
  const alerts = createOperatorAlerts(pool, log)
  const deliveries = watchDeliveries(eventLog, {
    clock: () => performance.now(),
    onSilent(silences) {
      const names = silences.map(({ subscription }) => subscription).join(', ')
      const seconds = Math.round(Math.max(...silences.map(({ forMs }) => forMs)) / 1000)
      const detail = `Subscriptions have delivered nothing for ${seconds} s although the log grew: ${names}. Kinora starts them again.`
      alerts.raise(SUBSCRIPTION_SILENT, detail).catch((err) => log.warn({ err }, 'operator alert not raised'))
    },
    onRestart: (subscription) => log.warn({ subscription }, 'subscription silent, starting it again'),
  })
  // A log that cannot be read is reported by those who need it.
  const timer = setInterval(() => void deliveries.check().catch(() => {}), CHECK_DELIVERIES_EVERY_MS)
  return { ...deliveries, stop: () => clearInterval(timer) }
}

/** Creates the data folder and keeps it, and all files that are created later, from other users of this machine. */
function makePrivate(dataDir: string): void {
  process.umask(0o077)
  makeDataDir(dataDir)
  // A mounted volume may belong to another user, who decides about its mode.
  if (statSync(dataDir).uid === process.getuid?.()) chmodSync(dataDir, 0o700)
}
