import { execFileSync, spawn } from 'node:child_process'
import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { dropRoot } from './dropRoot.ts'
import { proveDatabase } from './proveDatabase.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from './testing/temporaryPostgres.ts'
import { startTransactionPoolerDouble } from './testing/transactionPoolerDouble.ts'

let postgres: TemporaryPostgres
let socket: string
beforeAll(async () => {
  postgres = await startTemporaryPostgres()
  const { socketDir, port } = postgres.server
  socket = path.join(socketDir, `.s.PGSQL.${port}`)
})
afterAll(async () => {
  await postgres.close()
})

const prove = (change: pg.ClientConfig = {}) => {
  const { socketDir: host, port, user, database } = postgres.server
  return proveDatabase({ host, port, user, database, connectionTimeoutMillis: 10_000, ...change })
}
/** Creates a database. */
async function create(name: string, rest = ''): Promise<string> {
  await postgres.pool.query(`create database ${name} ${rest}`)
  return name
}

describe('the proof of a database', () => {
  it('returns the version of a server on which everything holds', async () => {
    expect(await prove()).toMatch(/^18\./)
  })

  it.for(['LATIN1', 'SQL_ASCII'])('refuses the encoding %s and says how to make another database', async (encoding) => {
    const rest = `encoding '${encoding}' template template0 locale_provider libc lc_collate 'C' lc_ctype 'C'`
    const database = await create(`in_${encoding}`, rest)
    await expect(prove({ database: database.toLowerCase() })).rejects.toThrow(
      `The database is encoded in ${encoding}, which cannot store every text. Create one with: create database kinora encoding 'UTF8' template template0.`,
    )
  })

  it('refuses a database that can only be read', async () => {
    const database = await create('replica')
    await postgres.pool.query(`alter database ${database} set default_transaction_read_only = on`)
    await expect(prove({ database })).rejects.toThrow(
      'The database is read-only. Set DATABASE_URL to the primary server',
    )
  })

  it('refuses a user who may not create tables', async () => {
    await postgres.pool.query('create role guest login')
    await expect(prove({ user: 'guest' })).rejects.toThrow('The user may not create tables. Make it the owner')
  })

  /** Makes a function of the server answer otherwise. */
  async function shadow(name: string, definition: string) {
    const database = await create(name)
    const pool = postgres.connect({ database })
    await pool.query(`create schema shadow; create function shadow.${definition};
      alter database ${database} set search_path = shadow, pg_catalog, public`)
    await pool.end()
    return database
  }

  it('refuses a server that is too old', async () => {
    const database = await shadow(
      'of_2019',
      `current_setting(name text) returns text language sql as
       $$ select case name when 'server_version_num' then '120022' when 'server_version' then '12.22' else pg_catalog.current_setting(name) end $$`,
    )
    await expect(prove({ database })).rejects.toThrow('PostgreSQL 12.22 is too old. Update it to 15 or newer.')
  })

  it.for(['-', '+'])('refuses a clock that differs by %s 90 s', async (sign) => {
    const definition = `clock_timestamp() returns timestamptz language sql as $$ select pg_catalog.clock_timestamp() ${sign} interval '90 s' $$`
    const database = await shadow(sign === '-' ? 'late' : 'early', definition)
    await expect(prove({ database })).rejects.toThrow(
      /The clock of the database server differs from the one of this machine by (89|90) s\. Synchronise both clocks\./,
    )
  })

  it('refuses a pooler in transaction mode', async () => {
    const pooler = await startTransactionPoolerDouble({ path: socket })
    const proof = prove({ host: '127.0.0.1', port: pooler.port })
    await expect(proof).rejects.toThrow('Set its pool_mode to session, or connect directly.')
    await pooler.close()
  })

  it('names a wrong password, a user who is refused, and a database that does not exist', async () => {
    await postgres.pool.query(`create role owner login superuser password 'right'`)
    const hba = path.join(postgres.dataDir, 'pg_hba.conf')
    const before = readFileSync(hba, 'utf8')
    const reload = async (rules: string) => {
      writeFileSync(hba, `${rules}\n${before}`)
      await postgres.pool.query('select pg_reload_conf()')
    }
    await reload('local all owner scram-sha-256')
    const asOwner = { user: 'owner', password: 'wrong' }
    // The server reads its configuration again within a moment.
    await eventually(() =>
      expect(prove(asOwner)).rejects.toThrow(/Correct the user or the password in DATABASE_URL\.$/),
    )
    await reload('local all owner reject')
    await eventually(() => expect(prove(asOwner)).rejects.toThrow(/pg_hba\.conf/))
    await reload('')
    await eventually(() => expect(prove(asOwner)).resolves.toMatch(/^18\./))
    await expect(prove({ database: 'nowhere' })).rejects.toThrow(
      /Create the database, or correct its name in DATABASE_URL\.$/,
    )
  })
})

const pgbouncer = (() => {
  try {
    return execFileSync('which', ['pgbouncer'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
})()
describe.skipIf(!pgbouncer)(`PgBouncer${pgbouncer ? '' : ' (skipped: it is not on PATH)'}`, () => {
  const IGNORED = 'ignore_startup_parameters = lock_timeout,idle_in_transaction_session_timeout'
  const TIMELESS = /^The pooler drops the timeouts .* alter role "kinora" set lock_timeout = '3s'/

  it.for([
    ['session', '', /Add \w+_timeout to ignore_startup_parameters of PgBouncer\.$/],
    ['session', IGNORED, TIMELESS],
    ['transaction', IGNORED, TIMELESS],
    ['session', `${IGNORED}\n; with the timeouts of the user`, /^18\./],
    [
      'transaction',
      `${IGNORED}\n; with the timeouts of the user`,
      /Set its pool_mode to session, or connect directly\.$/,
    ],
  ] as const)('in %s mode with "%s" is answered with %s', async ([mode, setting, answer]) => {
    const { socketDir, port, database, user } = postgres.server
    const hasTimeouts = setting.includes('with the timeouts')
    await postgres.pool.query(`alter role "${user}" set lock_timeout = '${hasTimeouts ? '3s' : '0'}'`)
    await postgres.pool.query(
      `alter role "${user}" set idle_in_transaction_session_timeout = '${hasTimeouts ? '8s' : '0'}'`,
    )
    const listenPort = await freePort()
    const file = path.join(socketDir, 'pgbouncer.ini')
    const lines = [
      ...['[databases]', `${database} = host=${socketDir} port=${port} user=${user}`],
      ...[
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${listenPort}`,
        'unix_socket_dir =',
        'auth_type = any',
      ],
      ...[`pool_mode = ${mode}`, setting],
    ]
    writeFileSync(file, lines.join('\n'))
    // Like the server, it does not run as root.
    const { prefix, ids } = dropRoot(pgbouncer!)
    if (ids.uid !== undefined) chownSync(file, ids.uid, ids.gid!)
    const [program, ...args] = [...prefix, pgbouncer!, file]
    const child = spawn(program!, args, { ...ids, stdio: 'ignore' })
    const proof = () => prove({ host: '127.0.0.1', port: listenPort }).catch((error: Error) => error.message)
    const isUp = async () => expect(await proof()).not.toMatch(/ECONNREFUSED/)
    await eventually(isUp)
    expect(await proof()).toMatch(answer)
    child.kill('SIGKILL')
  })
})
