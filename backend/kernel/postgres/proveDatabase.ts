import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { CannotConnect, TIMEOUTS } from './connect.ts'
import { connectClient } from './connectClient.ts'
import { onlyRow } from './onlyRow.ts'
import { LOCK_TIMEOUT_MS } from './openPool.ts'

/** A database on which Kinora would lose or spoil data. The message says what to do. */
export class UnsuitableDatabase extends Error {
  override name = 'UnsuitableDatabase'
}

const MIN_VERSION = 15
/** Links and second factors are valid for seconds to minutes, so clocks must agree. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000
const NOTIFIED_WITHIN_MS = 3_000
const CHANNEL = 'kinora_proof'
/** Characters of one to four bytes. */
const SAMPLE = 'aé王🎬'

const IN_TRANSACTION_MODE =
  'A pooler in transaction mode is in front of PostgreSQL, so that locks, notifications and prepared statements of a session are lost. Set its pool_mode to session, or connect directly.'

/**
 * Proves that a database can do what Kinora relies on, by doing it. Returns the version of the server.
 * @throws UnsuitableDatabase, CannotConnect
 */
export async function proveDatabase(connection: pg.ClientConfig): Promise<string> {
  const clients: pg.Client[] = []
  const connect = async () => {
    const settings = { ...TIMEOUTS, lock_timeout: LOCK_TIMEOUT_MS, ...connection }
    const client = await connectClient(settings).catch((error) => Promise.reject(new CannotConnect(error)))
    clients.push(client)
    return client
  }
  try {
    const [one, other] = [await connect(), await connect()]
    const version = await proveServer(one)
    await proveSession(one, other)
    return version
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

/** Proves the settings of the server and of the database. Returns the version. */
async function proveServer(client: pg.Client): Promise<string> {
  const asked = Date.now()
  const facts = await client.query<Record<'encoding' | 'version' | 'number' | 'user', string> & Facts>(
    `select current_setting('server_encoding') as encoding, current_setting('server_version') as version,
       current_setting('server_version_num') as number, clock_timestamp() as now,
       current_setting('transaction_read_only') = 'on' as "isReadOnly",
       has_database_privilege(current_database(), 'CREATE') and has_schema_privilege('public', 'CREATE') as "mayCreate",
       current_setting('lock_timeout') = '0' or current_setting('idle_in_transaction_session_timeout') = '0' as "isTimeless",
       current_user as user`,
  )
  const { encoding, version, number, now, isReadOnly, mayCreate, isTimeless, user } = onlyRow(facts)
  if (Math.floor(Number(number) / 10_000) < MIN_VERSION)
    throw new UnsuitableDatabase(`PostgreSQL ${version} is too old. Update it to ${MIN_VERSION} or newer.`)
  if (encoding !== 'UTF8')
    throw new UnsuitableDatabase(
      `The database is encoded in ${encoding}, which cannot store every text. Create one with: create database kinora encoding 'UTF8' template template0.`,
    )
  if (isReadOnly)
    throw new UnsuitableDatabase('The database is read-only. Set DATABASE_URL to the primary server, not to a replica.')
  if (!mayCreate)
    throw new UnsuitableDatabase(
      'The user may not create tables. Make it the owner of the database and of its schema public.',
    )
  const seconds = Math.round(Math.max(asked - now.getTime(), now.getTime() - Date.now()) / 1000)
  if (seconds * 1000 > MAX_CLOCK_DIFFERENCE_MS)
    throw new UnsuitableDatabase(
      `The clock of the database server differs from the one of this machine by ${seconds} s. Synchronise both clocks.`,
    )
  if (isTimeless)
    throw new UnsuitableDatabase(
      `The pooler drops the timeouts that Kinora asks for. Set them for its user: alter role "${user}" set lock_timeout = '3s'; alter role "${user}" set idle_in_transaction_session_timeout = '8s'.`,
    )
  const echoed = await client.query<{ text: string }>('select $1::text as text', [SAMPLE])
  if (onlyRow(echoed).text !== SAMPLE)
    throw new UnsuitableDatabase(
      'The connection does not return texts as they were written. Remove client_encoding from DATABASE_URL.',
    )
  return version
}

interface Facts {
  readonly now: Date
  readonly isReadOnly: boolean
  readonly mayCreate: boolean
  /** Whether a timeout that Kinora asks for has been dropped on the way. */
  readonly isTimeless: boolean
}

/** Proves that a session keeps its locks, prepared statements and notifications while another one works. */
async function proveSession(one: pg.Client, other: pg.Client): Promise<void> {
  const key = randomInt(2 ** 31)
  const prepared = (n: number) => one.query({ name: CHANNEL, text: 'select $1::int as n', values: [n] })
  const notified = new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, NOTIFIED_WITHIN_MS, false)
    one.once('notification', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
  try {
    await one.query(`listen ${CHANNEL}`)
    await one.query('select pg_advisory_lock($1)', [key])
    await prepared(1)
    const tried = await other.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [key])
    await other.query('select pg_notify($1, $2)', [CHANNEL, ''])
    await prepared(2)
    if (onlyRow(tried).free || !(await notified)) throw new UnsuitableDatabase(IN_TRANSACTION_MODE)
  } catch (error) {
    throw error instanceof UnsuitableDatabase ? error : new UnsuitableDatabase(IN_TRANSACTION_MODE, { cause: error })
  }
}
