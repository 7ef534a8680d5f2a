import { cpSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { migrate, openDatabase } from '../database/orm.ts'
import { startTemporaryPostgres } from '../database/testing/temporaryPostgres.ts'
import { installEventTable } from '../eventsourcing/postgresEventStore.ts'
import { ENTITIES, MIGRATIONS } from '../ports.ts'

/**
 * Puts an embedded cluster with Kinora's whole schema where there is none. The first test of a run makes it, the others copy
 * it. Outside of a run of the tests nothing is put there, and whoever starts on `dataDir` makes all of it.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  const folder = process.env.KINORA_TEST_TEMPLATE
  if (!folder || existsSync(dataDir)) return
  const template = path.join(folder, 'cluster')
  if (!existsSync(template)) await makeCluster(template)
  // PostgreSQL starts in no folder that others may enter.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  cpSync(template, dataDir, { recursive: true })
}

async function makeCluster(template: string): Promise<void> {
  const { pool, server, dataDir, close } = await startTemporaryPostgres()
  const { socketDir: host, port, user, database: name } = server
  const database = await openDatabase({ host, port, user, database: name }, ENTITIES, MIGRATIONS)
  await migrate(database, pool)
  await installEventTable(pool)
  await database.close()
  await pool.end()
  await server.stop()
  try {
    renameSync(dataDir, template)
  } catch {
    // Another test was faster, and this one goes with its folder.
  }
  await close()
}
