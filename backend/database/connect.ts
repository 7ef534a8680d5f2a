import path from 'node:path'
import type pg from 'pg'
import { startEmbeddedPostgres } from './embeddedPostgres.ts'

export interface DatabaseServer {
  /** What `pg` takes. */
  readonly connection: pg.ClientConfig
  stop(): Promise<void>
  /** Settles when an embedded server is gone. */
  readonly exited: Promise<void>
}

/** The server that an address names, or one of our own in the data folder. */
export async function connectDatabase(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  log: (line: string) => void,
): Promise<DatabaseServer> {
  if (databaseUrl)
    return { connection: { connectionString: databaseUrl }, stop: async () => {}, exited: new Promise(() => {}) }
  const { socketDir, port, user, database, stop, exited } = await startEmbeddedPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    log,
  })
  return { connection: { host: socketDir, port, user, database }, stop, exited }
}
