import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { unseal } from '../accounts/keys/seal.ts'
import { ConfigError } from '../app/config/environment.ts'
import { type Config, readConfig } from '../app/config/readConfig.ts'
import { ENTITIES, MIGRATIONS } from '../app/schema.ts'
import { installEventTable } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { migrate, openDatabase } from '../kernel/postgres/orm.ts'
import { runAudit } from './audit.ts'
import { backUp } from './recovery/backup.ts'
import { compare } from './recovery/drill.ts'
import { type Manifest, RecoveryError } from './recovery/manifest.ts'
import { restore } from './recovery/restore.ts'

export const USAGE = `npm run backup -- --out <new folder> [--with-secrets]
  saves all tables as of one moment, and the media folder, while Kinora runs
npm run restore -- --from <backup> --into <new data folder> | --from <backup> --database <address of an empty one>
  puts them back; then start Kinora with DATA_DIR or DATABASE_URL set to it
npm run drill [-- --keep]
  backs up what is here, restores it beside, proves the ledger, compares every table, and takes it all away again

What to back up is found as Kinora finds it: DATA_DIR or DATABASE_URL. ENCRYPTION_KEY and SESSION_SECRET belong in
another place than the backup; --with-secrets takes those that were made in DATA_DIR along. The log of an EventStoreDB
cluster and the files of a bucket have backups of their own: docs/operations.md.`

type Print = (text: string) => void

/** Saves what a configuration names. */
async function save(config: Config, folder: string, withSecrets: boolean): Promise<Manifest> {
  const server = await connectDatabase({ databaseUrl: config.database?.url, dataDir: config.dataDir }, () => {})
  try {
    const source = {
      connection: server.connection,
      log: config.eventStore ? ('EventStoreDB' as const) : ('here' as const),
      media: config.storage ? undefined : path.join(config.dataDir, 'media'),
      secrets: withSecrets ? path.join(config.dataDir, 'secrets.json') : undefined,
    }
    return await backUp(source, folder, new Date())
  } finally {
    await server.stop()
  }
}

/** Restores, and lets `use` look at the database while it runs. */
async function putBack<T>(
  from: string,
  to: { dataDir: string; databaseUrl: string | undefined },
  use: (found: Manifest, connection: pg.ClientConfig) => Promise<T>,
): Promise<T> {
  const server = await connectDatabase(to, () => {})
  const pool = openPool({ ...server.connection, max: 2 })
  const database = await openDatabase(server.connection, ENTITIES, MIGRATIONS)
  try {
    const prepare = async (migrations: readonly string[] | undefined) => {
      await installEventTable(pool)
      if (migrations) await database.migrator.up({ migrations: [...migrations] })
      else await migrate(database, pool)
    }
    const known = MIGRATIONS.map(({ name }) => name)
    const manifest = await restore(from, { connection: server.connection, dataDir: to.dataDir, prepare, known })
    return await use(manifest, server.connection)
  } finally {
    await database.close()
    await pool.end()
    await server.stop()
  }
}

/** Everything, once, beside what is in use. @returns whether all was as it should be */
async function drill(config: Config, keep: boolean, print: Print): Promise<boolean> {
  const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-drill-'))
  const backup = path.join(place, 'backup')
  const dataDir = path.join(place, 'restored')
  const start = performance.now()
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`
  try {
    const { tables } = await save(config, backup, false)
    print(`backed up: ${tables.length} tables (${seconds()})`)
    const findings = await putBack(backup, { dataDir, databaseUrl: undefined }, async (manifest, connection) => {
      print(`restored into a new cluster (${seconds()})`)
      return compare(connection, backup, manifest, (wrapped) => opens(wrapped, config.secrets.encryption))
    })
    for (const { check, seen, wrong } of findings) print(`${wrong ? '✗' : '✓'} ${check}: ${wrong ?? seen}`)
    const audited = config.eventStore ? undefined : await proveLedger(dataDir, print)
    if (audited === undefined)
      print('- ledger: its log is in EventStoreDB, not in this backup; run `npm run audit -- verify`')
    const isSound = findings.every(({ wrong }) => wrong === undefined) && audited !== false
    print(`${isSound ? 'The backup can be restored' : 'The backup is of no use as it is'} (${seconds()})`)
    return isSound
  } finally {
    if (keep) print(`kept: ${place}`)
    else rmSync(place, { recursive: true, force: true, maxRetries: 10 })
  }
}

function opens(wrappedKey: string, masterKey: string): boolean {
  try {
    return unseal(Buffer.from(masterKey, 'hex'), wrappedKey).length === 32
  } catch {
    return false
  }
}

async function proveLedger(dataDir: string, print: Print): Promise<boolean> {
  const said: string[] = []
  const surroundings = { env: { DATA_DIR: dataDir }, print: (text: string) => said.push(text), complain: print }
  const isSound = (await runAudit(['verify'], surroundings)) === 0
  const [summary] = said.join('\n').split('\n')
  print(isSound ? `✓ ledger: ${summary}` : `✗ ledger:\n${said.join('\n')}`)
  return isSound
}

/** The three programs. @returns the exit code: 1 it failed, 2 a command line that is wrong */
export async function runRecovery(args: readonly string[], env: NodeJS.ProcessEnv, print: Print): Promise<number> {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { out: text, from: text, into: text, database: text, 'with-secrets': flag, keep: flag }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [name] = positionals
    if (name === 'drill') return (await drill(readConfig(env), values.keep ?? false, print)) ? 0 : 1
    if (name === 'backup' && values.out) {
      const { tables, media } = await save(readConfig(env), path.resolve(values.out), values['with-secrets'] ?? false)
      print(
        `${values.out}: ${tables.length} tables, ${media === 'bucket' ? 'media in the bucket' : `${media.files} files`}`,
      )
      return 0
    }
    if (name === 'restore' && values.from && (values.into === undefined) !== (values.database === undefined)) {
      const dataDir = path.resolve(values.into ?? (env.DATA_DIR || '.data'))
      const { takenAt } = await putBack(values.from, { dataDir, databaseUrl: values.database }, async (found) => found)
      print(`Restored as of ${takenAt}.`)
      return 0
    }
    print(USAGE)
    return 2
  } catch (error) {
    if (!(error instanceof RecoveryError || error instanceof ConfigError || error instanceof TypeError)) throw error
    print(error.message)
    return error instanceof TypeError ? 2 : 1
  }
}

if (import.meta.main) process.exitCode = await runRecovery(process.argv.slice(2), process.env, console.log)
