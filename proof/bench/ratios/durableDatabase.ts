import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import {
  createPostgresEventStore,
  installEventTable,
} from '#backend/kernel/eventsourcing/postgres/postgresEventStore.ts'
import { startEmbeddedPostgres } from '#backend/kernel/postgres/embeddedPostgres.ts'
import { openPool } from '#backend/kernel/postgres/openPool.ts'

/** Starts a PostgreSQL server that flushes each commit, as in production, with an empty event log. */
export async function startDurableDatabase() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bench-'))
  const server = await startEmbeddedPostgres({ dataDir: path.join(folder, 'postgres') })
  const { socketDir: host, port, user, database } = server
  const pools: pg.Pool[] = []
  const connect = (max: number) => {
    const pool = openPool({ host, port, user, database, max })
    pools.push(pool)
    return pool
  }
  const pool = connect(10)
  await installEventTable(pool)
  return {
    connect,
    pid: server.pid,
    url: `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    store: createPostgresEventStore(pool),
    async close() {
      await Promise.all(pools.map((each) => each.end()))
      await server.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
