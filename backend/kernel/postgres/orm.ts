import { type EntitySchema, MikroORM } from '@mikro-orm/core'
import { type Migration, Migrator } from '@mikro-orm/migrations'
import { type EntityManager, PostgreSqlDriver } from '@mikro-orm/postgresql'
import type pg from 'pg'
import { backoff, pause } from '../backoff.ts'
import { endFailedRollbacks } from './endFailedRollbacks.ts'
import { onlyRow } from './onlyRow.ts'
import { IDLE_SESSION_MS, setIsolation } from './openPool.ts'
import { query } from './query.ts'

export type Database = MikroORM<PostgreSqlDriver, EntityManager> & {
  /** Returns the connections of the ORM; undefined before the first one. A double has none. */
  readonly connections?: () => pg.Pool | undefined
  /** Connections to the same database for `queryPrepared`. */
  prepared?: pg.Pool
}

interface NamedMigration {
  readonly name: string
  readonly class: new (...args: ConstructorParameters<typeof Migration>) => Migration
}

/** Advisory lock key, reserved for migrations. */
const MIGRATION_LOCK = 7314202

/**
 * Milliseconds that a migration waits for a lock. Later statements on the same table wait behind it, so this is shorter
 * than their `LOCK_TIMEOUT_MS`.
 */
const MIGRATION_LOCK_TIMEOUT_MS = 1_000

/** SQLSTATEs of a lock timeout and of a deadlock. */
const BLOCKED = ['55P03', '40P01']

/**
 * Opens the database with these entities and migrations. `connection` has a URL, or a Unix socket directory as `host`. It may
 * be a function, which is called for the first connection.
 * @example const database = await openDatabase(server.connection, ENTITIES, MIGRATIONS)
 */
export async function openDatabase(
  connection: pg.PoolConfig | (() => pg.PoolConfig),
  entities: readonly EntitySchema[],
  migrations: readonly NamedMigration[],
): Promise<Database> {
  let pool: pg.Pool | undefined
  const onPoolCreated = (created: pg.Pool) => {
    endFailedRollbacks(created)
    pool = created
  }
  const opened = await MikroORM.init<PostgreSqlDriver, EntityManager>({
    driver: PostgreSqlDriver,
    // The ORM asks for a name, but connects as `driverOptions` says. Given a URL, it would drop parameters such as `sslmode`.
    dbName: 'postgres',
    driverOptions: () => ({
      ...{ onConnect: setIsolation, onPoolCreated },
      // Sends statements of one connection that do not wait for each other together.
      pipeline: true,
      ...(typeof connection === 'function' ? connection() : connection),
    }),
    pool: { min: 0, max: 12, idleTimeoutMillis: IDLE_SESSION_MS },
    entities: [...entities],
    extensions: [Migrator],
    migrations: { migrationsList: [...migrations], snapshot: false, tableName: 'migration', silent: true },
    forceUtcTimezone: true,
  } as never)
  return Object.assign(opened, { connections: () => pool })
}

/**
 * Runs pending migrations. Concurrent processes wait for the one that migrates, without a timeout. While another
 * transaction, such as a backup, locks a table, rolls back all of them and tries again, without a limit: a process that
 * gave up would be restarted and wait all the same.
 * @param onBlocked called before each retry
 */
export async function migrate(
  database: Database,
  pool: pg.Pool,
  onBlocked: (error: unknown) => void = () => {},
): Promise<void> {
  const lock = await pool.connect()
  try {
    await lock.query('set lock_timeout = 0')
    await lock.query({ text: 'select pg_advisory_lock($1)', values: [MIGRATION_LOCK], query_timeout: 0 } as never)
    for (let attempt = 0; !(await applyUnlessBlocked(database, onBlocked)); attempt++)
      await pause(backoff(attempt, { initial: 1_000 }))
  } finally {
    // Closing the connection releases the lock, even after a failure.
    lock.release(true)
  }
}

/** Applies all pending migrations or none. Returns whether it did. */
async function applyUnlessBlocked(database: Database, onBlocked: (error: unknown) => void): Promise<boolean> {
  try {
    await database.em.fork().transactional(async (em) => {
      await query(em, `set local lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`)
      await database.migrator.up({ transaction: em.getTransactionContext() })
    })
    return true
  } catch (error) {
    if (!BLOCKED.includes((error as { code?: string }).code ?? '')) throw error
    onBlocked(error)
    return false
  }
}

/** Returns the names of the applied migrations, oldest first; undefined if the database is empty or not Kinora's. */
export async function readMigrations(client: Pick<pg.ClientBase, 'query'>): Promise<string[] | undefined> {
  const found = await client.query<{ known: boolean }>(`select to_regclass('migration') is not null as known`)
  if (!onlyRow(found).known) return undefined
  const applied = await client.query<{ name: string }>('select name from migration order by id')
  return applied.rows.map(({ name }) => name)
}
