import { existsSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { readFinishedVideos } from '#projections/tasks/readVideoTasks.ts'
import { refuseWrongMasterKey, WrongMasterKey } from '../../accounts/keys/masterKey.ts'
import { opensUserKey, readWrappedKeys } from '../../accounts/keys/userKeys.ts'
import type { Config } from '../../app/config/readConfig.ts'
import { videoKey } from '../../kernel/media/mediaStore.port.ts'
import { connectDatabase } from '../../kernel/postgres/connect.ts'
import { connectClient } from '../../kernel/postgres/connectClient.ts'
import { findDamaged } from './copyFiles.ts'
import { hashTable } from './copyTable.ts'
import type { Manifest } from './manifest.ts'

type Source = Pick<Config, 'database' | 'dataDir'>

export interface Finding {
  readonly check: string
  readonly seen: string
  /** Description of the fault; undefined if the check passed. */
  readonly wrong: string | undefined
}

/**
 * Compares a restored installation with its backup: tables byte by byte, keys that open, files of finished videos.
 * @param source the installation that was backed up: a video that it has deleted since may lack its file
 * @param hasFile whether a file was restored; by default, whether it is in the data folder
 */
export async function compareRestored(
  connection: pg.ClientConfig,
  dataDir: string,
  manifest: Manifest,
  masterKey: string | undefined,
  source: Source,
  hasFile = (name: string) => existsSync(path.join(dataDir, name)),
): Promise<Finding[]> {
  const client = await connectClient(connection)
  try {
    return [
      await compareTables(client, manifest),
      await checkKeys(client, masterKey),
      await checkFiles(client, dataDir, manifest, source, hasFile),
    ]
  } finally {
    await client.end()
  }
}

async function compareTables(client: pg.ClientBase, { tables }: Manifest): Promise<Finding> {
  const differing: string[] = []
  for (const table of tables) if ((await hashTable(client, table)) !== table.sha256) differing.push(table.name)
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return {
    check: 'tables',
    seen: `${rows} rows in ${tables.length} tables, byte for byte`,
    wrong: differing.length > 0 ? `differ: ${differing.join(', ')}` : undefined,
  }
}

async function checkKeys(client: pg.ClientBase, masterKey: string | undefined): Promise<Finding> {
  const keys = await readWrappedKeys(client)
  const wrong = masterKey === undefined ? NO_KEY : await faultOfKey(client, masterKey, keys)
  return { check: 'keys', seen: `${keys.length} users' keys`, wrong }
}

const NO_KEY =
  'the copy has no ENCRYPTION_KEY, and would not start: set ENCRYPTION_KEY to the key that you keep apart from the ' +
  'backup, or back up with --with-secrets'

async function faultOfKey(client: pg.ClientBase, masterKey: string, keys: Awaited<ReturnType<typeof readWrappedKeys>>) {
  const lost = keys.filter((key) => !opensUserKey(masterKey, key)).length
  if (lost > 0) return `${lost} do not open with this ENCRYPTION_KEY: the prompts of those users are lost`
  return refuseWrongMasterKey(client, masterKey).catch((error) => {
    if (error instanceof WrongMasterKey) return error.message
    throw error
  }) as Promise<string | undefined>
}

async function checkFiles(
  client: pg.ClientBase,
  dataDir: string,
  { files = {}, media }: Manifest,
  source: Source,
  hasFile: (name: string) => boolean,
): Promise<Finding> {
  const ids = media === 'bucket' ? [] : await readFinishedVideos(client)
  const absent = ids.filter((id) => !hasFile(fileOf(id)))
  const missing = absent.length > 0 ? await withoutDeleted(absent, source) : []
  const [first, ...others] = [...new Set([...missing.map(fileOf), ...(await findDamaged(dataDir, files))])]
  return {
    check: 'files',
    seen: `${Object.keys(files).length} files with the hashes of the originals, among them ${ids.length} videos`,
    wrong: first && `${others.length + 1} are changed or missing, for example ${first}`,
  }
}

const fileOf = (videoId: string) => `media/${videoKey(videoId)}`

/** Returns those of the videos that the source still has. */
async function withoutDeleted(ids: readonly string[], { database, dataDir }: Source): Promise<string[]> {
  const { connection, stop } = await connectDatabase({ databaseUrl: database?.url, dataDir }, () => {})
  try {
    const client = await connectClient(connection)
    try {
      const present = new Set(await readFinishedVideos(client))
      return ids.filter((id) => present.has(id))
    } finally {
      await client.end()
    }
  } finally {
    await stop()
  }
}
