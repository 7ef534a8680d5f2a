import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startEmbeddedPostgres } from './embeddedPostgres.ts'
import { isOutage } from './outage.ts'

interface DatabaseServer {
  readonly connection: pg.ClientConfig
  stop(): Promise<void>
  /** Resolves when an embedded server has exited; never for other servers. */
  readonly exited: Promise<void>
}

/** The server at a `databaseUrl` refuses the connection, or did not answer in time. The message says what to do. */
export class CannotConnect extends Error {
  override name = 'CannotConnect'

  constructor(cause: Error) {
    const reason = cause.message || (cause as { code?: string }).code
    super(`Cannot connect to the database (${reason}). ${remedyOf(cause)}`, { cause })
  }
}

/** PgBouncer gives this refusal the SQLSTATE of a broken connection. */
const REFUSED_PARAMETER = /unsupported startup parameter:? (\w+)/

/** Returns what to do about an error of a connection. SQLSTATEs: https://www.postgresql.org/docs/18/errcodes-appendix.html */
function remedyOf({ message, code }: Error & { code?: string }): string {
  if (/no encryption|SSL off/.test(message))
    return 'The server accepts TLS only: add ?sslmode=verify-full to DATABASE_URL.'
  if (/does not support SSL/.test(message)) return 'The server has no TLS: remove sslmode from DATABASE_URL.'
  if (/^(SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY))/.test(code ?? ''))
    return 'This machine does not trust the certificate of the server: set CA_FILE to the file of its authority.'
  const [, parameter] = REFUSED_PARAMETER.exec(message) ?? []
  if (parameter) return `Add ${parameter} to ignore_startup_parameters of PgBouncer.`
  if (code === '28P01') return 'Correct the user or the password in DATABASE_URL.'
  if (code === '3D000') return 'Create the database, or correct its name in DATABASE_URL.'
  return 'Check DATABASE_URL: address, user, password and name.'
}

/** Time to wait for a database that starts at the same time as this process. */
const START_TIMEOUT_MS = 60_000

/** Timeouts that free the locks of unresponsive sessions within seconds. */
export const TIMEOUTS: pg.ClientConfig = {
  keepAlive: true,
  connectionTimeoutMillis: 10_000,
  idle_in_transaction_session_timeout: 8_000,
}

/**
 * Connects to the server at `databaseUrl`, or starts an embedded one in the data folder.
 * @param onStarting called when an embedded server has been started, about 40 ms before it accepts connections
 * @throws CannotConnect
 * @example const { connection } = await connectDatabase({ databaseUrl: undefined, dataDir: '.data' }, console.log)
 */
export async function connectDatabase(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  log: (line: string) => void,
  onStarting?: () => void,
): Promise<DatabaseServer> {
  if (databaseUrl) {
    const connection = { ...TIMEOUTS, connectionString: databaseUrl }
    await waitUntilReady(connection, log)
    return { connection, stop: async () => {}, exited: new Promise(() => {}) }
  }
  const { socketDir, port, user, database, stop, exited } = await startEmbeddedPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    log,
    onStarting,
  })
  return { connection: { ...TIMEOUTS, host: socketDir, port, user, database }, stop, exited }
}

/**
 * Waits until the server accepts connections.
 * @throws CannotConnect after the timeout if it is away, and immediately if it refuses
 */
async function waitUntilReady(connection: pg.ClientConfig, log: (line: string) => void): Promise<void> {
  for (const deadline = performance.now() + START_TIMEOUT_MS; ; await delay(500)) {
    const client = new pg.Client(connection)
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      const { message } = error as Error
      const isRefused = !isOutage(error) || REFUSED_PARAMETER.test(message)
      if (isRefused || performance.now() > deadline) throw new CannotConnect(error as Error)
      log(`database not reachable: ${message}`)
    }
  }
}
