import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { EntitySchema } from '@mikro-orm/core'
import type pg from 'pg'
import type { DestinationStream, Logger } from 'pino'
import { PROJECTIONS } from '#projections/all.ts'
import { refuseOlderLog } from '#projections/engine/refuseOlderLog.ts'
import { M0002ReadModels } from '#projections/migrations/M0002ReadModels.ts'
import { M0007Money } from '#projections/migrations/M0007Money.ts'
import { M0012ChainHeads } from '#projections/migrations/M0012ChainHeads.ts'
import { M0023Business } from '#projections/migrations/M0023Business.ts'
import { M0030LiveProjections } from '#projections/migrations/M0030LiveProjections.ts'
import { readSubscription } from '#projections/subscriptions/readSubscription.ts'
import { createErasures } from '../accounts/erasures.ts'
import { OUTGOING_MAIL_KEY } from '../accounts/keys/keyRing.ts'
import { keyFor } from '../accounts/keys/seal.ts'
import { createUserKeys } from '../accounts/keys/userKeys.ts'
import { createOutbox } from '../accounts/mails/outbox.ts'
import { UserTable } from '../accounts/tables.ts'
import { countInZone } from '../analytics/countVisits.ts'
import { anonymisePageViews } from '../analytics/eraseRows.ts'
import { createPageViews } from '../analytics/pageViews.ts'
import { createVisitCounter } from '../analytics/visitCounter.ts'
import { createCredits } from '../credits/credits.ts'
import { createOrigins } from '../kernel/eventsourcing/createOrigins.ts'
import { createEventStoreDb } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { createPostgresEventStore, installEventTable } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { eraseIdempotencyKeys } from '../kernel/http/idempotency.ts'
import { eraseSocketTokens } from '../kernel/http/realtime.ts'
import { makeTemporaryDir } from '../kernel/media/temporaryDir.ts'
import { instrumentChanges, instrumentPort, instrumentStore } from '../kernel/observability/instrument.ts'
import { createObservability } from '../kernel/observability/observability.ts'
import { createCalendar } from '../kernel/postgres/calendar.ts'
import { listenToChanges } from '../kernel/postgres/changes.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { createLeases } from '../kernel/postgres/leases.ts'
import { M0001Accounts } from '../kernel/postgres/migrations/M0001Accounts.ts'
import { M0003PageViews } from '../kernel/postgres/migrations/M0003PageViews.ts'
import { M0004AccountSafety } from '../kernel/postgres/migrations/M0004AccountSafety.ts'
import { M0005Workspace } from '../kernel/postgres/migrations/M0005Workspace.ts'
import { M0006ProviderCalls } from '../kernel/postgres/migrations/M0006ProviderCalls.ts'
import { M0008Payments } from '../kernel/postgres/migrations/M0008Payments.ts'
import { M0020Operator } from '../kernel/postgres/migrations/M0020Operator.ts'
import { M0021Traffic } from '../kernel/postgres/migrations/M0021Traffic.ts'
import { M0022Registrations } from '../kernel/postgres/migrations/M0022Registrations.ts'
import { M0031MediaFolder } from '../kernel/postgres/migrations/M0031MediaFolder.ts'
import { M0050KeyRing } from '../kernel/postgres/migrations/M0050KeyRing.ts'
import { M0051UncountedViews } from '../kernel/postgres/migrations/M0051UncountedViews.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { migrate, openDatabase } from '../kernel/postgres/orm.ts'
import { createMailbox, eraseMailbox } from '../providers/mail/mailbox.ts'
import { createSmtpMailer } from '../providers/mail/smtpMailer.ts'
import { createPaypal } from '../providers/payments/paypal/paypal.ts'
import { createSandbox } from '../providers/payments/sandbox/sandbox.ts'
import { createFolderMediaStore } from '../providers/storage/folderMediaStore.ts'
import { createS3MediaStore } from '../providers/storage/s3MediaStore.ts'
import { isSharedFolder } from '../providers/storage/sharedFolder.ts'
import { createDemoProvider } from '../providers/video/demo/demoProvider.ts'
import { callbackAddress, isPublic } from '../providers/video/minimax/callbackAddress.ts'
import { createMinimax, type MinimaxPace } from '../providers/video/minimax/minimax.ts'
import { allowanceOf } from '../subscriptions/allowance.ts'
import { tierOf } from '../subscriptions/subscriptionView.ts'
import { createWebhookInbox } from '../subscriptions/webhookInbox.ts'
import type { VideoProvider } from '../tasks/videoProvider.port.ts'
import { ROLES } from './config/layoutFaults.ts'
import { type Config, ConfigError } from './config/readConfig.ts'

/** What a test puts in place of a part, or of the clock. */
export interface Overrides {
  readonly provider?: VideoProvider
  /** Other times for MiniMax, so that minutes pass in moments; `callbacks` also at an address that is not public. */
  readonly minimax?: Partial<MinimaxPace> & { readonly callbacks?: boolean }
  readonly now?: () => number
  /** Takes the lines of the log. */
  readonly logTo?: DestinationStream
}

export type Ports = Awaited<ReturnType<typeof openPorts>>

export const ENTITIES = [UserTable, ...PROJECTIONS.map(({ table }) => table)] as unknown as EntitySchema[]
export const MIGRATIONS = [
  { name: 'M0001Accounts', class: M0001Accounts },
  { name: 'M0002ReadModels', class: M0002ReadModels },
  { name: 'M0003PageViews', class: M0003PageViews },
  { name: 'M0004AccountSafety', class: M0004AccountSafety },
  { name: 'M0005Workspace', class: M0005Workspace },
  { name: 'M0006ProviderCalls', class: M0006ProviderCalls },
  { name: 'M0007Money', class: M0007Money },
  { name: 'M0008Payments', class: M0008Payments },
  { name: 'M0012ChainHeads', class: M0012ChainHeads },
  { name: 'M0020Operator', class: M0020Operator },
  { name: 'M0021Traffic', class: M0021Traffic },
  { name: 'M0022Registrations', class: M0022Registrations },
  { name: 'M0023Business', class: M0023Business },
  { name: 'M0030LiveProjections', class: M0030LiveProjections },
  { name: 'M0031MediaFolder', class: M0031MediaFolder },
  { name: 'M0050KeyRing', class: M0050KeyRing },
  { name: 'M0051UncountedViews', class: M0051UncountedViews },
]

const VIDEO_CALLS = {
  create: { outcomes: ['accepted', 'refused', 'postponed'] },
  state: { outcomes: ['queued', 'rendering', 'finished', 'failed', 'unknown'] },
  fetch: {},
} as const
/** The `call` labels are the names that these methods had first. */
const PAYMENT_CALLS = {
  createAgreement: { call: 'open' },
  getAgreement: { call: 'look' },
  listSales: { call: 'sales' },
  pauseAgreement: { call: 'pause' },
  resumeAgreement: { call: 'resume' },
  cancelAgreement: { call: 'cancel' },
} as const
/** What the database does not answer for so long it will not answer: the connection is given up. Migrations may take longer. */
const ANSWER_MS = 60_000

/** Chooses every adapter by the configuration: what is set takes the outside one, what is not the embedded one. */
export async function openPorts(config: Config, log: Logger, overrides: Overrides) {
  const { now = Date.now } = overrides
  mkdirSync(config.dataDir, { recursive: true })
  const temporaryDir = makeTemporaryDir(config.dataDir)

  const server = await connectDatabase(config, (line) => log.debug({ line }, 'postgres'))
  const connection = { ...server.connection, query_timeout: ANSWER_MS }
  let stopping = false
  const onLost = (error: Error) => {
    if (!stopping) log.error({ err: error }, 'a database connection was lost')
  }
  const pool = openPool({ ...connection, max: 12 }, onLost)
  const migrating = await openDatabase(server.connection, ENTITIES, MIGRATIONS)
  await migrate(migrating, pool)
  await migrating.close()
  const database = await openDatabase(connection, ENTITIES, MIGRATIONS)
  await countInZone(pool, config.operator.timeZone)

  const mediaFolder = path.join(config.dataDir, 'media')
  if (!config.eventStoreUrl) await installEventTable(pool)
  const eventLog = config.eventStoreUrl
    ? createEventStoreDb({
        url: config.eventStoreUrl,
        ca: config.eventStoreCa,
        log: (message, error) => log.warn({ err: error }, message),
      })
    : createPostgresEventStore(pool)
  try {
    await refuseOlderLog(database, eventLog)
    if (config.roles.length < ROLES.length && !config.s3) await refuseOtherFolder(mediaFolder, pool)
  } catch (error) {
    await eventLog.close()
    await database.close()
    await pool.end()
    await server.stop()
    throw error
  }
  const allChanges = listenToChanges(server.connection)
  /** Subscriptions, credits and mails live by the calendar; all else by the clock. */
  const clock = config.production ? undefined : await createCalendar(pool, allChanges, now)
  const calendar = clock?.calendar ?? now
  const observability = createObservability({ pool, log, now, calendar })
  const { metrics } = observability
  const store = instrumentStore(metrics, eventLog)
  const handle = createHandle(store)
  const changes = instrumentChanges(metrics, allChanges)
  const leases = createLeases(server.connection, (error, what) => log.warn({ err: error, what }, 'a lease was lost'))
  const { encrypt, decrypt, destroy } = createUserKeys(database, config.encryptionKey)
  const videoProvider = overrides.provider ?? chooseProvider(config, pool, log, overrides.minimax)
  const media = config.s3
    ? createS3MediaStore(config.s3, path.join(temporaryDir, 'copies'))
    : createFolderMediaStore(mediaFolder)
  const mailbox = config.smtp || config.production ? undefined : createMailbox(database)
  const mailer = config.smtp ? createSmtpMailer(config.smtp.url, config.smtp.from) : mailbox!
  const visitCounter = createVisitCounter(pool, log)
  const pageViews = createPageViews(pool, log, visitCounter.wake)
  const sandbox = config.paypal
    ? undefined
    : createSandbox({ pool, now: calendar, secret: keyFor('sandbox', config.encryptionKey).toString('hex') })

  return {
    config,
    log,
    now,
    temporaryDir,
    pool,
    database,
    store,
    handle,
    originOf: createOrigins(store),
    changes,
    leases,
    encrypt,
    decrypt,
    clock,
    calendar,
    sandbox,
    payments: instrumentPort(
      metrics,
      'payments',
      config.paypal ? createPaypal(config.paypal) : sandbox!,
      PAYMENT_CALLS,
    ),
    inbox: createWebhookInbox(pool),
    allowance: async (userId: string) => allowanceOf(tierOf(await readSubscription(database, userId))),
    credits: createCredits(handle, calendar),
    media: instrumentPort(metrics, 'media', media, { put: {}, size: {}, localPath: {}, remove: {} }),
    mailbox,
    mailer: instrumentPort(metrics, 'mail', mailer, { send: { outcomes: ['sent', 'refused'] } }),
    outbox: createOutbox(database, keyFor(OUTGOING_MAIL_KEY, config.encryptionKey), calendar),
    erasures: createErasures({
      database,
      now,
      destroyKey: destroy,
      eraseRows: [eraseIdempotencyKeys, eraseSocketTokens, eraseMailbox, anonymisePageViews],
    }),
    pageViews,
    provider: instrumentPort(metrics, 'video', videoProvider, VIDEO_CALLS),
    observability,
    databaseGone: server.exited,
    async close() {
      await pageViews.flush()
      await visitCounter.close()
      await leases.close()
      await changes.close()
      await store.close()
      await videoProvider.close()
      await mailer.close()
      await database.close()
      // Its last clients may still be saying goodbye when the server goes: that is no loss any more.
      stopping = true
      await pool.end()
      await server.stop()
      rmSync(temporaryDir, { recursive: true, force: true })
    },
  }
}

function chooseProvider(config: Config, pool: pg.Pool, log: Logger, pace: Overrides['minimax']): VideoProvider {
  const { minimax, publicUrl, sessionSecret } = config
  if (!minimax) return createDemoProvider(path.join(config.dataDir, 'demo'), config.ffmpegPath)
  const reachable = publicUrl !== undefined && (isPublic(publicUrl) || pace?.callbacks)
  const callbackUrl = (taskId: string) => (reachable ? callbackAddress(publicUrl, sessionSecret, taskId) : undefined)
  return createMinimax({ ...minimax, pool, log, callbackUrl, pace })
}

async function refuseOtherFolder(folder: string, pool: pg.Pool): Promise<void> {
  if (await isSharedFolder(folder, pool)) return
  throw new ConfigError(
    `Media in ${folder} would be out of the other processes' reach: set S3_… to a bucket, or DATA_DIR to one folder that ` +
      'all of them share',
  )
}
