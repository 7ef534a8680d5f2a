import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { changeOwner, dropRoot } from '#backend/kernel/postgres/dropRoot.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { startKinora, walkJourney } from './journey.ts'
import type { Part, PartContext } from './part.ts'
import { installed, makeCertificate, startServer } from './server.ts'

const BIN = '/usr/lib/postgresql/15/bin'
const DOCTOR = path.resolve(import.meta.dirname, '../../backend/programs/doctor.ts')

/** PostgreSQL 15 over TLS with the texts sorted by ICU, alone and behind PgBouncer. */
export const DATABASE_PARTS: readonly Part[] = [
  { name: 'PostgreSQL', run: tryPostgres },
  { name: 'PgBouncer', run: tryPgBouncer },
]

async function tryPostgres({ folder }: PartContext): Promise<string> {
  await using postgres = await startPostgres(folder)
  const env = { DATA_DIR: path.join(folder, 'data'), CA_FILE: postgres.certificate }
  const verified = `${postgres.url}?sslmode=verify-full`
  await isRefused({ ...env, DATABASE_URL: postgres.url }, /accepts TLS only: add \?sslmode=verify-full to DATABASE_URL/)
  await isRefused(
    { ...env, DATABASE_URL: verified, CA_FILE: '' },
    /does not trust the certificate of the server: set CA_FILE/,
  )
  postgres.execute('alter database postgres set default_transaction_read_only = on')
  await isRefused({ ...env, DATABASE_URL: verified }, /The database is read-only/)
  postgres.execute('set transaction read write; alter database postgres reset default_transaction_read_only')
  assert.match(await doctor({ ...env, DATABASE_URL: verified }), /^ok database: PostgreSQL 15/m)
  await using kinora = await startKinora({ ...env, DATABASE_URL: verified })
  await walkJourney(kinora)
  return postgres.version
}

async function tryPgBouncer({ folder }: PartContext): Promise<string> {
  const program = installed('pgbouncer', '/usr/sbin/pgbouncer')
  await using postgres = await startPostgres(folder)
  const dataDir = path.join(folder, 'data')
  const env = async (mode: string, more = '') => {
    const port = await freePort()
    const settings = [
      ...['[databases]', `postgres = host=127.0.0.1 port=${postgres.port} user=postgres password=${PASSWORD}`],
      ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
      ...['server_tls_sslmode = require', `pool_mode = ${mode}`, more],
    ]
    const file = path.join(folder, `${mode}.ini`)
    writeFileSync(file, settings.join('\n'))
    const { prefix, ids } = dropRoot(program)
    const pooler = await startServer([...prefix, program, file], port, ids)
    const settingsOfKinora = { DATA_DIR: dataDir, DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres` }
    return { ...settingsOfKinora, pooler }
  }
  const ignored = 'ignore_startup_parameters = lock_timeout,idle_in_transaction_session_timeout'
  for (const [mode, more, answer] of [
    ['session', '', /Add \w+_timeout to ignore_startup_parameters of PgBouncer/],
    ['session', ignored, /The pooler drops the timeouts .* alter role "postgres" set lock_timeout = '3s'/],
  ] as const) {
    const { pooler, ...settings } = await env(mode, more)
    await isRefused(settings, answer)
    await pooler[Symbol.asyncDispose]()
  }
  postgres.execute(
    "alter role postgres set lock_timeout = '3s'; alter role postgres set idle_in_transaction_session_timeout = '8s'",
  )
  const { pooler: byTransaction, ...transaction } = await env('transaction', ignored)
  await isRefused(transaction, /Set its pool_mode to session, or connect directly/)
  await byTransaction[Symbol.asyncDispose]()
  const { pooler, ...session } = await env('session', ignored)
  await using _ = pooler
  await using kinora = await startKinora(session)
  await walkJourney(kinora)
  return /\d+\.\d+\.\d+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))![0]
}

const PASSWORD = 'p@ss:w/rd#1?'

/** Starts PostgreSQL 15, which accepts TLS only. */
async function startPostgres(folder: string) {
  const program = installed('postgresql-15', `${BIN}/postgres`)
  const identity = dropRoot(program)
  const data = path.join(folder, 'postgres')
  const { certificate, key } = makeCertificate(folder)
  chmodSync(folder, 0o711)
  mkdirSync(data, { mode: 0o700 })
  const passwordFile = path.join(data, '..', 'password')
  writeFileSync(passwordFile, PASSWORD)
  changeOwner(data, identity)
  const run = (name: string, ...args: readonly string[]) => {
    const [command, ...rest] = [...identity.prefix, `${BIN}/${name}`, ...args]
    execFileSync(command!, rest, { ...identity.ids, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  }
  const sorted = ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=de-DE', '--locale=C.UTF-8']
  run('initdb', '-D', data, '-U', 'postgres', '--no-sync', `--pwfile=${passwordFile}`, ...sorted)
  const port = await freePort()
  const settings = ["listen_addresses = '127.0.0.1'", `port = ${port}`, "unix_socket_directories = ''", 'fsync = off']
  const tls = ['ssl = on', `ssl_cert_file = '${certificate}'`, `ssl_key_file = '${key}'`]
  writeFileSync(path.join(data, 'postgresql.auto.conf'), [...settings, ...tls].join('\n'))
  writeFileSync(path.join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
  const url = `postgres://postgres:${encodeURIComponent(PASSWORD)}@localhost:${port}/postgres`
  const server = await startServer([...identity.prefix, program, '-D', data], port, identity.ids)
  return {
    ...server,
    url,
    port,
    certificate,
    version: /[\d.]+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))![0],
    execute: (sql: string) => void execFileSync(`${BIN}/psql`, [`${url}?sslmode=require`, '-qc', sql]),
  }
}

/** Expects that `doctor` and the start refuse the database with the same sentence. */
async function isRefused(env: Readonly<Record<string, string>>, sentence: RegExp): Promise<void> {
  assert.match(await doctor(env), sentence)
  await assert.rejects(startKinora(env), sentence)
}

/** Returns what `doctor` prints. */
async function doctor(env: Readonly<Record<string, string>>): Promise<string> {
  const done = promisify(execFile)(process.execPath, [DOCTOR], { env: { ...process.env, ...env } })
  return (await done.catch((error: { stdout: string }) => error)).stdout
}
