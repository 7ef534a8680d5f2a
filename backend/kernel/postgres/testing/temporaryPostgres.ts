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
  /** Stops the server and starts it again on the same folder. */
  restart(): Promise<void>
  /** A further pool to the same server. */
  connect(config?: pg.PoolConfig): pg.Pool
  /** Ends the pools, the server and its folders. */
  close(): Promise<void>
}

/**
 * A real PostgreSQL for one test file, in a folder of its own that goes with it.
 * @param prepare may put a cluster into the folder; otherwise it is an empty one
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
