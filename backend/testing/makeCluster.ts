import { appendFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { ENTITIES, MIGRATIONS, migrateSchema } from '../app/schema.ts'
import { installEventTable } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { openDatabase } from '../kernel/postgres/orm.ts'
import { startTemporaryPostgres } from '../kernel/postgres/testing/temporaryPostgres.ts'

/** Creates a stopped cluster with Kinora's schema, for tests to copy. */
export async function makeCluster(template: string): Promise<void> {
  const { pool, server, dataDir, close } = await startTemporaryPostgres()
  const { socketDir: host, port, user, database: name } = server
  const database = await openDatabase({ host, port, user, database: name }, ENTITIES, MIGRATIONS)
  await migrateSchema(database, pool)
  await installEventTable(pool)
  await database.close()
  await pool.end()
  await server.stop()
  // Faster, and tests do not need data to survive a power failure.
  appendFileSync(path.join(dataDir, 'postgresql.conf'), 'fsync = off\nfull_page_writes = off\n')
  try {
    renameSync(dataDir, template)
  } catch {
    // Another test has created the template first.
  }
  await close()
}
