import type pg from 'pg'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'

/**
 * Starts a database for cost curves. It does not flush to disk, which costs the same at every size. It has no autovacuum,
 * whose CPU time would count as that of the next measurement; call {@link settle} instead. It runs no query in parallel:
 * PostgreSQL does so from some size on, which takes less time but more CPU.
 */
export async function startCurveDatabase() {
  const db = await startTemporaryDatabase()
  await db.pool.query('alter system set autovacuum = off')
  await db.pool.query('alter system set max_parallel_workers_per_gather = 0')
  await db.pool.query('select pg_reload_conf()')
  db.database.prepared = db.pool
  return db
}

/** Vacuums and analyses the seeded tables as autovacuum would, and writes out what the seeding has changed. */
export async function settle(pool: pg.Pool): Promise<void> {
  await pool.query('vacuum analyze')
  await pool.query('checkpoint')
}
