import { existsSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { readFinishedVideos } from '#projections/tasks/readVideoTasks.ts'
import { videoKey } from '../../kernel/media/mediaStore.port.ts'
import { connectDatabase } from '../../kernel/postgres/connect.ts'
import { connectClient } from '../../kernel/postgres/connectClient.ts'
import type { DataPlaces, Product } from '../installation.ts'
import { findDamaged } from './copyFiles.ts'
import { hashTable } from './copyTable.ts'
import type { Manifest } from './manifest.ts'

interface Comparison {
  /** The installation that was backed up: a video that it has deleted since may lack its file. */
  readonly source: Pick<DataPlaces, 'database' | 'dataDir'>
  proveKeys(client: pg.ClientBase): ReturnType<Product['proveKeys']>
  /** Returns whether a file was restored. Default: whether it is in the data folder. */
  hasFile?(name: string): boolean
}

export interface Finding {
  readonly check: string
  readonly seen: string
  /** Description of the fault; undefined if the check passed. */
  readonly wrong: string | undefined
}

/**
 * Compares a restored installation with its backup: tables byte by byte, keys that open, files of finished videos.
 */
export async function compareRestored(
  connection: pg.ClientConfig,
  dataDir: string,
  manifest: Manifest,
  { source, proveKeys, hasFile = (name) => existsSync(path.join(dataDir, name)) }: Comparison,
): Promise<Finding[]> {
  const client = await connectClient(connection)
  try {
    // First, because proving the keys can add a row.
    const tables = await compareTables(client, manifest)
    const { count, wrong } = await proveKeys(client)
    return [
      tables,
      { check: 'keys', seen: `${count} users' keys`, wrong },
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

async function checkFiles(
  client: pg.ClientBase,
  dataDir: string,
  { files = {}, media }: Manifest,
  source: Comparison['source'],
  hasFile: NonNullable<Comparison['hasFile']>,
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
async function withoutDeleted(ids: readonly string[], { database, dataDir }: Comparison['source']): Promise<string[]> {
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
