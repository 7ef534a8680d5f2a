import { existsSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { readFinishedVideos } from '#projections/tasks/readVideoTasks.ts'
import { readWrappedKeys } from '../../accounts/keys/userKeys.ts'
import { hashTable } from './copyTable.ts'
import { type Manifest, mediaFolder } from './manifest.ts'

interface Finding {
  readonly check: string
  readonly seen: string
  /** Description of the fault; undefined if the check passed. */
  readonly wrong: string | undefined
}

/** Compares a restored database with its backup, and checks that user keys can be decrypted and video files exist. */
export async function compareRestored(
  connection: pg.ClientConfig,
  folder: string,
  manifest: Manifest,
  canUnwrap: (wrappedKey: string) => boolean,
): Promise<Finding[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return [
      await compareTables(client, manifest),
      await checkKeys(client, canUnwrap),
      ...(manifest.media === 'bucket' ? [] : [await checkFiles(client, folder, manifest.media.files)]),
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

async function checkKeys(client: pg.ClientBase, canUnwrap: (wrappedKey: string) => boolean): Promise<Finding> {
  const keys = await readWrappedKeys(client)
  const lost = keys.filter((key) => !canUnwrap(key)).length
  const wrong = `${lost} do not open with this ENCRYPTION_KEY: the prompts of those users are lost`
  return { check: 'keys', seen: `${keys.length} users' keys`, wrong: lost > 0 ? wrong : undefined }
}

async function checkFiles(client: pg.ClientBase, folder: string, files: number): Promise<Finding> {
  const ids = await readFinishedVideos(client)
  const missing = ids.filter((id) => !existsSync(path.join(mediaFolder(folder), 'videos', `${id}.mp4`)))
  const wrong = `${missing.length} videos are missing, for example ${missing[0]}`
  return {
    check: 'files',
    seen: `${files} files for ${ids.length} videos`,
    wrong: missing.length > 0 ? wrong : undefined,
  }
}
