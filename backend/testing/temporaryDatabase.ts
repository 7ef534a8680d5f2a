import type pg from 'pg'
import { ENTITIES, MIGRATIONS, migrateSchema } from '../app/schema.ts'
import { createPostgresEventStore, installEventTable } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { openDatabase } from '../kernel/postgres/orm.ts'
import { startTemporaryPostgres } from '../kernel/postgres/testing/temporaryPostgres.ts'
import { copyCluster } from './clusterTemplate.ts'

export type TemporaryDatabase = Awaited<ReturnType<typeof startTemporaryDatabase>>

/** Starts a PostgreSQL server with Kinora's schema and an event store, without Kinora. */
export async function startTemporaryDatabase() {
  const postgres = await startTemporaryPostgres(copyCluster)
  const { pool } = postgres
  const { socketDir: host, port, user, database: name } = postgres.server
  const connection: pg.ClientConfig = { host, port, user, database: name }
  const database = await openDatabase(connection, ENTITIES, MIGRATIONS)
  await migrateSchema(database, pool)
  await installEventTable(pool)
  const store = createPostgresEventStore(pool)
  return {
    postgres,
    pool,
    connection,
    /** Value for `DATABASE_URL`. */
    url: `postgresql://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
    database,
    store,
    async close() {
      await store.close()
      await database.close()
      await postgres.close()
    },
  }
}
