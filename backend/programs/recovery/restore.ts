import { cpSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { BESIDE } from './backup.ts'
import { loadTable } from './copyTable.ts'
import { type Manifest, mediaFolder, RecoveryError, readManifest, SECRETS } from './manifest.ts'

export interface RestoreTarget {
  /** An empty database. */
  readonly connection: pg.ClientConfig
  readonly dataDir: string
  /** Makes the tables as these migrations left them, then, told nothing, those of this version. */
  readonly prepare: (migrations: readonly string[] | undefined) => Promise<void>
  /** Every migration that this version knows. */
  readonly known: readonly string[]
}

/**
 * Puts a backup into an empty database and data folder: the tables as they were, then whatever newer migrations make of
 * them. All rows or none. @throws RecoveryError the backup is damaged or newer, or the place is not empty
 */
export async function restore(
  folder: string,
  { connection, dataDir, prepare, known }: RestoreTarget,
): Promise<Manifest> {
  const manifest = readManifest(folder)
  const unknown = manifest.migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new RecoveryError(`The backup was made by a newer version, which has ${unknown.join(', ')}`)
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ there: boolean }>(`select to_regclass('user_account') is not null as there`)
    if (rows[0]!.there) throw new RecoveryError('The database is not empty: restore into a new one')
    await prepare(manifest.migrations)
    await client.query('begin')
    for (const { name, part } of manifest.tables)
      if (part) await client.query(`create table if not exists "${name}" partition of "${part.of}" ${part.bound}`)
    // Some migrations write rows: they are among those that were saved.
    await client.query(`truncate ${manifest.tables.map(({ name }) => `"${name}"`).join()}`)
    for (const table of manifest.tables) {
      // What triggers have counted was saved as well.
      await client.query(`alter table "${table.name}" disable trigger user`)
      await loadTable(client, folder, table)
      await client.query(`alter table "${table.name}" enable trigger user`)
    }
    await client.query('delete from projection_checkpoint where name ~ $1', [BESIDE])
    await resumeCounters(client, manifest)
    await client.query('commit')
    await prepare(undefined)
    await client.query('analyze')
  } finally {
    await client.end()
  }
  mkdirSync(dataDir, { recursive: true })
  if (existsSync(mediaFolder(folder)))
    cpSync(mediaFolder(folder), path.join(dataDir, 'media'), {
      recursive: true,
      preserveTimestamps: true,
      errorOnExist: true,
      force: false,
    })
  if (manifest.secrets)
    cpSync(path.join(folder, SECRETS), path.join(dataDir, SECRETS), { errorOnExist: true, force: false })
  return manifest
}

/** Columns that count by themselves go on behind the largest that was loaded. */
async function resumeCounters(client: pg.ClientBase, { tables }: Manifest): Promise<void> {
  for (const { name, columns } of tables)
    for (const column of columns) {
      const { rows } = await client.query<{ counter: string | null }>(
        'select pg_get_serial_sequence($1, $2) as counter',
        [`"${name}"`, column],
      )
      const counter = rows[0]!.counter
      if (counter)
        await client.query(`select setval($1, coalesce((select max("${column}") from "${name}"), 0) + 1, false)`, [
          counter,
        ])
    }
}
