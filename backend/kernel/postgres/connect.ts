import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startEmbeddedPostgres } from './embeddedPostgres.ts'
import { isOutage } from './outage.ts'

export interface DatabaseServer {
  /** What `pg` takes. */
  readonly connection: pg.ClientConfig
  stop(): Promise<void>
  /** Settles when an embedded server is gone. */
  readonly exited: Promise<void>
}

/** A server that starts at the same time is waited for so long. */
const START_MS = 60_000

/** What a session leaves behind that has gone silent, such as locks, is freed for others within seconds. */
const SAFE: pg.ClientConfig = {
  keepAlive: true,
  connectionTimeoutMillis: 10_000,
  idle_in_transaction_session_timeout: 8_000,
}

/** The server that an address names, or one of our own in the data folder. */
export async function connectDatabase(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  log: (line: string) => void,
): Promise<DatabaseServer> {
  if (databaseUrl) {
    const connection = { ...SAFE, connectionString: databaseUrl }
    await untilThere(connection, log)
    return { connection, stop: async () => {}, exited: new Promise(() => {}) }
  }
  const { socketDir, port, user, database, stop, exited } = await startEmbeddedPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    log,
  })
  return { connection: { ...SAFE, host: socketDir, port, user, database }, stop, exited }
}

/** @throws what the server says when it is not only late */
async function untilThere(connection: pg.ClientConfig, log: (line: string) => void): Promise<void> {
  for (const giveUp = Date.now() + START_MS; ; await delay(500)) {
    const client = new pg.Client(connection)
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (!isOutage(error) || Date.now() > giveUp) throw error
      log(`the database is not there yet: ${(error as Error).message}`)
    }
  }
}
