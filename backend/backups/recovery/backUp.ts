import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { REBUILD_TABLE } from '#projections/engine/rebuild.ts'
import { OPERATORS_FILE } from '../../audit/operatorKeys.ts'
import { connectDatabase } from '../../kernel/postgres/connect.ts'
import { connectClient } from '../../kernel/postgres/connectClient.ts'
import { readMigrations } from '../../kernel/postgres/orm.ts'
import type { DataPlaces } from '../installation.ts'
import { copyFiles, listMedia, listOwnFiles, listSecrets } from './copyFiles.ts'
import { saveTable } from './copyTable.ts'
import { MANIFEST, type Manifest, RecoveryError, type SavedTable } from './manifest.ts'

/**
 * Backs up an installation to a new folder while Kinora runs: a consistent snapshot of all tables, then the files. A
 * file is stored before the event that refers to it, so copying files last misses none. Removes the folder if it fails.
 * @param withMedia whether the media folder is copied, too
 * @throws RecoveryError the folder exists, or the database is not Kinora's
 */
export async function backUp(
  config: DataPlaces,
  folder: string,
  withSecrets: boolean,
  withMedia = !config.storage,
): Promise<Manifest> {
  if (existsSync(folder)) throw new RecoveryError(existing(folder))
  const { connection, stop } = await connectDatabase(
    { databaseUrl: config.database?.url, dataDir: config.dataDir },
    () => {},
  )
  try {
    makeFolder(folder)
    return await saveTo(folder, connection).catch((error) => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
      throw error
    })
  } finally {
    await stop()
  }

  async function saveTo(folder: string, connection: pg.ClientConfig): Promise<Manifest> {
    mkdirSync(path.join(folder, 'tables'), { mode: 0o700 })
    const saved = await saveTables(connection, folder)
    const media = withMedia ? listMedia(config.dataDir) : []
    const own = listOwnFiles(config.dataDir)
    const names = [...media, ...own, OPERATORS_FILE, ...(withSecrets ? listSecrets(config.dataDir) : [])]
    const files = await copyFiles(config.dataDir, folder, names)
    const manifest: Manifest = {
      format: 1,
      takenAt: new Date().toISOString(),
      ...saved,
      files,
      log: config.eventStore ? 'EventStoreDB' : 'here',
      media: config.storage ? 'bucket' : sizeOf(folder),
      secrets: withSecrets,
    }
    writeFileSync(path.join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
    return manifest
  }
}

const existing = (folder: string) =>
  `${folder} already exists. Name another folder, or remove this one if it has no ${MANIFEST}: its backup was interrupted.`

/** Another backup may make the same folder at the same time. */
function makeFolder(folder: string): void {
  try {
    const parent = path.dirname(folder)
    if (!existsSync(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 })
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && existsSync(folder)) throw new RecoveryError(existing(folder))
    throw new RecoveryError(`${folder} cannot be made (${code}): name a folder that can be written`)
  }
}

async function saveTables(connection: pg.ClientConfig, folder: string) {
  const client = await connectClient(connection)
  try {
    await client.query('begin transaction isolation level repeatable read, read only')
    // The session is idle while the target stalls at the end of a table.
    await client.query('set local idle_in_transaction_session_timeout = 0')
    const migrations = await readMigrations(client)
    if (!migrations) throw new RecoveryError('The database holds no tables of Kinora')
    const tables = []
    for (const table of await listTables(client)) tables.push(await saveTable(client, folder, table))
    await client.query('commit')
    return { migrations, tables }
  } finally {
    await client.end()
  }
}

/** Lists tables in load order: each table follows those that it references. Excludes the tables of rebuilds. */
async function listTables(client: pg.ClientBase): Promise<Omit<SavedTable, 'rows' | 'sha256'>[]> {
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
    [REBUILD_TABLE],
  )
  const placed: typeof rows = []
  while (placed.length < rows.length) {
    const ready = rows.filter(
      (row) => !placed.includes(row) && row.needs.every((need) => placed.some(({ name }) => name === need)),
    )
    if (ready.length === 0) throw new RecoveryError('The tables reference each other in a cycle')
    placed.push(...ready)
  }
  return placed.map(({ name, columns, part }) => ({ name, columns, ...(part && { part }) }))
}

function sizeOf(folder: string): { files: number; bytes: number } {
  const sizes = listMedia(folder).map((name) => statSync(path.join(folder, name)).size)
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}
