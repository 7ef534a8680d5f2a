import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ENTITIES, MIGRATIONS, migrateSchema } from '#backend/app/schema.ts'
import { connectDatabase } from '#backend/kernel/postgres/connect.ts'
import { openPool } from '#backend/kernel/postgres/openPool.ts'
import { openDatabase } from '#backend/kernel/postgres/orm.ts'
import { startProgram } from '#backend/testing/program.ts'
import { measureBoard } from './analytics/measureBoard.ts'
import { measureIngest } from './analytics/measureIngest.ts'
import { seedVisits } from './analytics/seedVisits.ts'

/**
 * `npm run bench -- analytics [views]` measures the dashboard with a million visits in 90 days, and the ingestion of
 * visits over 16 connections. `npm run bench -- analytics seed [views]` adds visits to the database of this
 * installation (DATABASE_URL or DATA_DIR), to fill its dashboard.
 */
const [first = '1000000', second = '1000000'] = process.argv.slice(2)
const seedOnly = first === 'seed'
const views = Number(seedOnly ? second : first)
const timeZone = process.env.OPERATOR_TIME_ZONE || 'UTC'
const PASSWORD = 'the password of the bench'

async function seed(dataDir: string): Promise<void> {
  const databaseUrl = process.env.DATABASE_URL || undefined
  const server = await connectDatabase({ databaseUrl, dataDir }, () => {})
  const pool = openPool({ ...server.connection, max: 2 })
  const database = await openDatabase(server.connection, ENTITIES, MIGRATIONS)
  await migrateSchema(database, pool)
  const begun = performance.now()
  await seedVisits(pool, { views, users: Math.ceil(views / 100) }, Date.now(), timeZone)
  const { rows } = await pool.query('select count(*)::int as count from page_view')
  console.log(
    `${rows[0].count} visits in the database after ${((performance.now() - begun) / 1000).toFixed(0)} s of seeding`,
  )
  await database.close()
  await pool.end()
  await server.stop()
}

if (seedOnly) await seed(path.resolve(process.env.DATA_DIR || '.data'))
else {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-bench-'))
  try {
    await seed(dataDir)
    const env = {
      DATA_DIR: dataDir,
      PORT: '0',
      OPERATOR_PASSWORD: PASSWORD,
      OPERATOR_TIME_ZONE: timeZone,
      ROLES: 'api,projections,workflows',
      // One network sends the views of all visitors. Its rate would be the figure.
      NETWORK_RATE: '1000000',
    }
    const program = await startProgram(env)
    try {
      await measureBoard(program.url, PASSWORD)
      // Connects to the embedded database server that the program has started.
      const { connection } = await connectDatabase({ databaseUrl: undefined, dataDir }, () => {})
      await measureIngest(program.url, program.pid, connection)
    } finally {
      await program.stop()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
  }
}
