import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { EntitySchema } from '@mikro-orm/core'
import pg from 'pg'
import type { Logger } from 'pino'
import { PROJECTIONS } from '#projections/all.ts'
import { M0002ReadModels } from '#projections/migrations/M0002ReadModels.ts'
import { M0007Money } from '#projections/migrations/M0007Money.ts'
import { createMailbox } from './accounts/mailbox.ts'
import { SessionTable, UserTable } from './accounts/tables.ts'
import { createUserKeys } from './accounts/userKeys.ts'
import type { Config } from './config.ts'
import { createCredits } from './credits/credits.ts'
import { listenToChanges } from './database/changes.ts'
import { connectDatabase } from './database/connect.ts'
import { M0001Accounts } from './database/migrations/M0001Accounts.ts'
import { migrate, openDatabase } from './database/orm.ts'
import { createEventStoreDb } from './eventsourcing/eventStoreDb.ts'
import { createHandle } from './eventsourcing/handle.ts'
import { createPostgresEventStore, installEventTable } from './eventsourcing/postgresEventStore.ts'
import { createFolderMediaStore } from './media/folderMediaStore.ts'
import { allowanceOf } from './subscriptions/allowance.ts'
import type { Tier } from './subscriptions/plans.ts'
import { createDemoProvider } from './tasks/demo/demoProvider.ts'
import type { VideoProvider } from './tasks/videoProvider.ts'

/** What a test puts in place of a part, or of the clock. */
export interface Overrides {
  readonly provider?: VideoProvider
  readonly now?: () => number
}

export type Ports = Awaited<ReturnType<typeof openPorts>>

export const ENTITIES = [UserTable, SessionTable, ...PROJECTIONS.map(({ table }) => table)] as unknown as EntitySchema[]
export const MIGRATIONS = [
  { name: 'M0001Accounts', class: M0001Accounts },
  { name: 'M0002ReadModels', class: M0002ReadModels },
  { name: 'M0007Money', class: M0007Money },
]

/** Chooses every adapter by the configuration: what is set takes the outside one, what is not the embedded one. */
export async function openPorts(config: Config, log: Logger, { provider, now = Date.now }: Overrides) {
  mkdirSync(config.dataDir, { recursive: true })
  const temporaryDir = path.join(config.dataDir, 'tmp')
  rmSync(temporaryDir, { recursive: true, force: true })
  mkdirSync(temporaryDir)

  const server = await connectDatabase(config, (line) => log.debug({ line }, 'postgres'))
  const pool = new pg.Pool({ ...server.connection, max: 12 })
  let stopping = false
  const onLost = (error: Error) => {
    if (!stopping) log.error({ err: error }, 'a database connection was lost')
  }
  // A client that is being closed while the server goes has no listener of the pool's any more.
  pool.on('error', onLost).on('connect', (client) => client.on('error', onLost))
  const database = await openDatabase(server.connection, ENTITIES, MIGRATIONS)
  await migrate(database, pool)

  if (!config.eventStoreUrl) await installEventTable(pool)
  const store = config.eventStoreUrl
    ? createEventStoreDb({ url: config.eventStoreUrl })
    : createPostgresEventStore(pool)
  const handle = createHandle(store)
  const changes = listenToChanges(server.connection)
  const { encrypt, decrypt } = createUserKeys(database, config.encryptionKey)
  const videoProvider = provider ?? createDemoProvider(path.join(config.dataDir, 'demo'), config.ffmpegPath)
  /** Plans cannot be bought yet: everyone is on Free. */
  const tierOf = async (_userId: string): Promise<Tier> => 'free'

  return {
    config,
    log,
    now,
    temporaryDir,
    pool,
    database,
    store,
    handle,
    changes,
    encrypt,
    decrypt,
    tierOf,
    allowance: async (userId: string) => allowanceOf(await tierOf(userId)),
    credits: createCredits(handle, now),
    media: createFolderMediaStore(path.join(config.dataDir, 'media')),
    mailbox: createMailbox(database),
    provider: videoProvider,
    databaseGone: server.exited,
    async close() {
      await changes.close()
      await store.close()
      await videoProvider.close()
      await database.close()
      // Its last clients may still be saying goodbye when the server goes: that is no loss any more.
      stopping = true
      await pool.end()
      await server.stop()
    },
  }
}
