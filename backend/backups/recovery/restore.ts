import { rename } from 'node:fs/promises'
import type pg from 'pg'
import { forgetRebuilds } from '#projections/engine/rebuild.ts'
import { connectDatabase } from '../../kernel/postgres/connect.ts'
import { connectClient } from '../../kernel/postgres/connectClient.ts'
import { onlyRow } from '../../kernel/postgres/onlyRow.ts'
import { openPool } from '../../kernel/postgres/openPool.ts'
import { readMigrations } from '../../kernel/postgres/orm.ts'
import type { Product } from '../installation.ts'
import { copyFiles, findDamaged, listMedia, refuseExisting } from './copyFiles.ts'
import { loadTable } from './copyTable.ts'
import { type Manifest, RecoveryError, readManifest, SECRETS } from './manifest.ts'
import { markFinished, markUnfinished } from './unfinishedRestore.ts'

interface RestoreTarget {
  readonly dataDir: string
  /** URL of an empty database. If undefined, a new embedded one is created in `dataDir`. */
  readonly databaseUrl: string | undefined
  /** Accounts to erase again. */
  readonly erased?: ReadonlySet<string> | undefined
  /** Whether the backup is temporary, so that its files can be moved. */
  readonly moveFiles?: boolean
}

/** Applies the given migrations to a database, or all pending ones if none are given. */
type Migrate = (migrations?: readonly string[]) => Promise<void>

/**
 * Restores a backup into an empty database and a data folder that has none of its files: verifies all files, loads all
 * rows or none, then applies newer migrations, and erases accounts again. Kinora does not start on a restore that was
 * interrupted. Calls `use` while the database is running, and returns its result.
 * @throws RecoveryError the backup is damaged or newer, or the target is not empty
 * @throws ConfigError the backup was made before the first release
 */
export async function restore<T>(
  folder: string,
  target: RestoreTarget,
  product: Product,
  use: (manifest: Manifest, connection: pg.ClientConfig, erasedAgain: number) => Promise<T>,
): Promise<T> {
  const manifest = readManifest(folder)
  product.refuseFormerData(manifest.migrations)
  const unknown = manifest.migrations.filter((name) => !product.migrations.includes(name))
  if (unknown.length > 0)
    throw new RecoveryError(`The backup was made by a newer version, which has ${unknown.join(', ')}`)
  await refuseDamagedFiles(folder, manifest)
  refuseExisting(target.dataDir, filesOf(folder, manifest))
  const { connection, stop } = await connectDatabase(target, () => {})
  const pool = openPool({ ...connection, max: 2 })
  const database = await product.openDatabase(connection)
  try {
    await restoreTables(folder, manifest, connection, async (migrations) => {
      await product.installLog(pool)
      if (migrations) await database.migrator.up({ migrations: [...migrations] })
      else await product.migrate(database, pool)
    })
    await restoreFiles(folder, manifest, target)
    const erasedAgain = await product.eraseAgain(database, target.dataDir, target.erased ?? [])
    await markFinished(pool)
    return await use(manifest, connection, erasedAgain)
  } finally {
    await database.close()
    await pool.end()
    await stop()
  }
}

const NOT_EMPTY = 'The database is not empty. Restore into a new one, or empty it if an interrupted restore left this.'

async function restoreTables(folder: string, manifest: Manifest, connection: pg.ClientConfig, prepare: Migrate) {
  // The server ends transactions that wait for a slow disk or processor.
  const client = await connectClient({ ...connection, idle_in_transaction_session_timeout: 0 })
  try {
    if (await readMigrations(client)) throw new RecoveryError(NOT_EMPTY)
    await markUnfinished(client)
    await prepare(manifest.migrations)
    await client.query('begin')
    for (const { name, part } of manifest.tables)
      if (part) await client.query(`create table if not exists "${name}" partition of "${part.of}" ${part.bound}`)
    // Migrations insert rows that the backup contains as well.
    await client.query(`truncate ${manifest.tables.map(({ name }) => `"${name}"`).join()}`)
    for (const table of manifest.tables) {
      // The backup already includes the counts that triggers maintain.
      await client.query(`alter table "${table.name}" disable trigger user`)
      await loadTable(client, folder, table)
      await client.query(`alter table "${table.name}" enable trigger user`)
    }
    await forgetRebuilds(client)
    await resumeSequences(client, manifest)
    await client.query('commit')
    await prepare()
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

/** Returns the files of a backup. Versions that did not hash files did not list them either. */
const filesOf = (folder: string, { files, secrets }: Manifest): readonly string[] =>
  files ? Object.keys(files) : [...listMedia(folder), ...(secrets ? SECRETS : [])]

async function restoreFiles(folder: string, manifest: Manifest, { dataDir, moveFiles }: RestoreTarget) {
  const copied = await copyFiles(folder, dataDir, filesOf(folder, manifest), moveFiles ? rename : undefined)
  const wrong = Object.entries(manifest.files ?? {}).find(([name, hash]) => copied[name] !== hash)
  if (wrong) throw new RecoveryError(`${wrong[0]} differs from the backup after it was copied`)
}

/** @throws RecoveryError a file is missing, or differs from what was saved */
async function refuseDamagedFiles(folder: string, { files = {} }: Manifest): Promise<void> {
  const [first, ...others] = await findDamaged(folder, files)
  if (first) throw new RecoveryError(`${others.length + 1} files are changed or missing, for example ${first}`)
}

/** Sets each sequence to continue after the largest loaded value. */
async function resumeSequences(client: pg.ClientBase, { tables }: Manifest): Promise<void> {
  for (const { name, columns } of tables)
    for (const column of columns) {
      const found = await client.query<{ sequence: string | null }>(
        'select pg_get_serial_sequence($1, $2) as sequence',
        [`"${name}"`, column],
      )
      const { sequence } = onlyRow(found)
      const next = `coalesce((select max("${column}") from "${name}"), 0) + 1`
      if (sequence) await client.query(`select setval($1, ${next}, false)`, [sequence])
    }
}
