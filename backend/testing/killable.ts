import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { afterAll } from 'vitest'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { createPostgresEventStore } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { SEED } from './fullRun.ts'
import { type Program, startProgram } from './program.ts'
import { seeded } from './seeded.ts'

type Stored = Readonly<{ connection: pg.ClientConfig; pool: pg.Pool; store: EventStore }>

/** Prepares Kinora for a spec that kills it, in a data folder of its own. Ends and removes both after the spec. */
export function createKillable(name: string, env: Record<string, string> = {}) {
  const random = seeded(SEED)
  const folder = mkdtempSync(path.join(os.tmpdir(), `kinora killed ${name} `))
  let program: Program | undefined
  afterAll(async () => {
    await program?.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  })

  return {
    folder,
    /** For the moments of the kills. */
    random,

    /** Starts it, on the port of `former` if it was killed. */
    async start(former?: Program): Promise<Program> {
      const port = former ? new URL(former.url).port : '0'
      const settings = { DATA_DIR: folder, PORT: port, SEED: String(Math.floor(random() * 1e9)), ...env }
      program = await startProgram(settings, path.join(import.meta.dirname, 'chaosProgram.ts'))
      return program
    },

    /** Kills it, and reads what it has stored. */
    async readStored<T>(read: (stored: Stored) => Promise<T>): Promise<T> {
      await program?.kill()
      const { connection, stop } = await connectDatabase({ databaseUrl: undefined, dataDir: folder }, () => {})
      const pool = openPool(connection)
      const store = createPostgresEventStore(pool)
      try {
        return await read({ connection, pool, store })
      } finally {
        await store.close()
        await pool.end()
        await stop()
      }
    },
  }
}
