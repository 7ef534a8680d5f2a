import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embeddedPostgres.ts'
import { openPool } from '../openPool.ts'

export interface TemporaryPostgres {
  readonly pool: pg.Pool
  readonly server: EmbeddedPostgres
  readonly dataDir: string
  /** Restarts the server with the same data folder. */
  restart(): Promise<void>
  /** Opens another pool to the same server. */
  connect(config?: pg.PoolConfig): pg.Pool
  /** Closes the pools, stops the server and removes its folders. */
  close(): Promise<void>
}

/**
 * Starts a PostgreSQL server for one test file, in a temporary folder.
 * @param prepare may copy a cluster into the folder; by default, an empty cluster is created
 */
export async function startTemporaryPostgres(prepare?: (dataDir: string) => Promise<void>): Promise<TemporaryPostgres> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kinora-test-'))
  const dataDir = path.join(folder, 'data')
  await prepare?.(dataDir)
  let server = await startEmbeddedPostgres({ dataDir, durable: false })
  const { socketDir: host, port, user, database } = server
  const pools: pg.Pool[] = []
  const connect = (config: pg.PoolConfig = {}) => {
    const pool = openPool({ host, port, user, database, ...config })
    pools.push(pool)
    return pool
  }
  return {
    pool: connect(),
    get server() {
      return server
    },
    dataDir,
    async restart() {
      await server.stop()
      server = await startEmbeddedPostgres({ dataDir, durable: false })
    },
    connect,
    async close() {
      await Promise.all(pools.filter(({ ended }) => !ended).map((pool) => pool.end()))
      await server.stop()
      for (const gone of [folder, host]) fs.rmSync(gone, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
