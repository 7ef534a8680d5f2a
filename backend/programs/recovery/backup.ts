import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { saveTable } from './copyTable.ts'
import { MANIFEST, type Manifest, mediaFolder, RecoveryError, type SavedTable, SECRETS } from './manifest.ts'

export interface BackupSource {
  readonly connection: pg.ClientConfig
  readonly log: Manifest['log']
  /** The folder of videos and pictures; undefined: they are in a bucket. */
  readonly media: string | undefined
  /** The file of the secrets that were made here, where they are to go along. */
  readonly secrets: string | undefined
}

/** Of tables that are built anew beside the ones in use: the log has what goes into them. */
export const BESIDE = '__v[0-9]+$'

/**
 * Saves everything there is into a new folder while Kinora runs: all tables as of one moment, then the files. A file is
 * stored before the event that tells of it, so that files copied later than the events are never too few.
 * @throws RecoveryError the folder is there already, or the database is not Kinora's
 */
export async function backUp(
  { connection, log, media, secrets }: BackupSource,
  folder: string,
  now: Date,
): Promise<Manifest> {
  if (existsSync(folder)) throw new RecoveryError(`${folder} is there already`)
  mkdirSync(path.join(folder, 'tables'), { recursive: true, mode: 0o700 })
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query('begin transaction isolation level repeatable read, read only')
    const names = await tablesOf(client)
    if (!names.some(({ name }) => name === 'user_account'))
      throw new RecoveryError('The database holds no tables of Kinora')
    const migrations = (await client.query<{ name: string }>('select name from migration order by id')).rows
    const tables = []
    for (const table of names) tables.push(await saveTable(client, folder, table))
    await client.query('commit')
    if (media && existsSync(media)) cpSync(media, mediaFolder(folder), { recursive: true, preserveTimestamps: true })
    if (secrets) cpSync(secrets, path.join(folder, SECRETS))
    const manifest: Manifest = {
      format: 1,
      takenAt: now.toISOString(),
      migrations: migrations.map(({ name }) => name),
      tables,
      log,
      media: media ? sizeOf(mediaFolder(folder)) : 'bucket',
      secrets: secrets !== undefined,
    }
    writeFileSync(path.join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
    return manifest
  } finally {
    await client.end()
  }
}

/** Those that others refer to come first, so that they can be loaded in this order. */
async function tablesOf(client: pg.ClientBase): Promise<Omit<SavedTable, 'rows' | 'sha256'>[]> {
  const { rows } = await client.query<{
    name: string
    columns: string[]
    part: SavedTable['part'] | null
    needs: string[]
  }>(
    `select c.relname as name,
       array(select a.attname::text from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
       (select json_build_object('of', i.inhparent::regclass::text, 'bound', pg_get_expr(c.relpartbound, c.oid))
        from pg_inherits i where i.inhrelid = c.oid and c.relispartition) as part,
       array(select distinct f.confrelid::regclass::text from pg_constraint f
             where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs
     from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
       and c.relname <> 'migration' and c.relname !~ $1 order by c.relname`,
    [BESIDE],
  )
  const placed: typeof rows = []
  while (placed.length < rows.length) {
    const ready = rows.filter(
      (row) => !placed.includes(row) && row.needs.every((need) => placed.some(({ name }) => name === need)),
    )
    if (ready.length === 0) throw new RecoveryError('Tables refer to each other in a circle')
    placed.push(...ready)
  }
  return placed.map(({ name, columns, part }) => ({ name, columns, ...(part && { part }) }))
}

function sizeOf(folder: string): { files: number; bytes: number } {
  if (!existsSync(folder)) return { files: 0, bytes: 0 }
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = entries.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0)
  return { files: entries.length, bytes }
}
