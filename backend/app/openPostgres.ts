import type { Logger } from 'pino'
import { recountRegistrations } from '../accounts/readUsers.ts'
import { countVisits } from '../analytics/countVisits.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { type Database, openDatabase } from '../kernel/postgres/orm.ts'
import { proveDatabase } from '../kernel/postgres/proveDatabase.ts'
import type { Config } from './config/readConfig.ts'
import { ENTITIES, isMigrated, MIGRATIONS, migrateSchema } from './schema.ts'

/** Query timeout, ms. Migrations are exempt: they may take longer. */
const QUERY_TIMEOUT_MS = 60_000

interface Opening {
  /** Milliseconds that a statement waits for a lock. */
  readonly lockTimeoutMs: number
  /** Closes what this function opens, also after a failure. */
  readonly opened: AsyncDisposableStack
}

/** Connects to the configured database, or starts the embedded one, and migrates its schema. @throws CannotConnect, UnsuitableDatabase, ConfigError */
export async function openPostgres(config: Config, log: Logger, { lockTimeoutMs, opened }: Opening) {
  const { url } = config.database ?? {}
  let opening: Promise<Database> | undefined
  // The ORM reads its entities while the server starts.
  const open = () => {
    opening ??= openDatabase(() => settings, ENTITIES, MIGRATIONS)
    return opening
  }
  const onLine = (line: string) => log.debug({ line }, 'postgres')
  const server = await connectDatabase({ databaseUrl: url, dataDir: config.dataDir }, onLine, open)
  opened.defer(() => server.stop())
  if (url) await proveDatabase(server.connection)
  const settings = { ...server.connection, query_timeout: QUERY_TIMEOUT_MS, lock_timeout: lockTimeoutMs }
  let closing = false
  const pool = openPool({ ...settings, max: 12 }, (error) => {
    // Connections that break while the server stops are expected.
    if (!closing) log.error({ err: error }, 'database connection lost')
  })
  opened.defer(() => {
    closing = true
    return pool.end()
  })
  if (!(await isMigrated(pool))) {
    const migrating = await openDatabase(server.connection, ENTITIES, MIGRATIONS)
    try {
      await migrateSchema(migrating, pool, (err) => log.warn({ err }, 'migration waits for a lock, retrying'))
    } finally {
      await migrating.close()
    }
  }
  const database = await open()
  opened.defer(() => database.close())
  database.prepared = pool
  await countVisits(pool, config.operators.timeZone, recountRegistrations)
  return { connection: server.connection, pool, database, exited: server.exited }
}
