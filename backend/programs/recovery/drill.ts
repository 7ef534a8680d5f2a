import { existsSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { hashOfTable } from './copyTable.ts'
import { type Manifest, mediaFolder } from './manifest.ts'

/** One thing that a drill has looked at. `wrong` says what was not as it should be. */
export interface Finding {
  readonly check: string
  readonly seen: string
  readonly wrong: string | undefined
}

/** Holds a restored database against what was saved, and asks whether it is of use: keys that open, files that are there. */
export async function compare(
  connection: pg.ClientConfig,
  folder: string,
  manifest: Manifest,
  opens: (wrappedKey: string) => boolean,
): Promise<Finding[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return [
      await tablesAreEqual(client, manifest),
      await keysOpen(client, opens),
      ...(manifest.media === 'bucket' ? [] : [await filesAreThere(client, folder, manifest.media.files)]),
    ]
  } finally {
    await client.end()
  }
}

async function tablesAreEqual(client: pg.ClientBase, { tables }: Manifest): Promise<Finding> {
  const differing: string[] = []
  for (const table of tables) if ((await hashOfTable(client, table)) !== table.sha256) differing.push(table.name)
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return {
    check: 'tables',
    seen: `${rows} rows in ${tables.length} tables, byte for byte`,
    wrong: differing.length > 0 ? `differ: ${differing.join(', ')}` : undefined,
  }
}

async function keysOpen(client: pg.ClientBase, opens: (wrappedKey: string) => boolean): Promise<Finding> {
  const { rows } = await client.query<{ user_id: string; wrapped_key: string }>(
    'select user_id, wrapped_key from user_key',
  )
  const shut = rows.filter(({ wrapped_key }) => !opens(wrapped_key))
  const wrong =
    shut.length > 0 ? `${shut.length} do not open with this ENCRYPTION_KEY: what those users wrote is lost` : undefined
  return { check: 'keys', seen: `${rows.length} users' keys`, wrong }
}

async function filesAreThere(client: pg.ClientBase, folder: string, files: number): Promise<Finding> {
  const { rows } = await client.query<{ id: string }>(`select id from video_task where status = 'Success'`)
  const lacking = rows.filter(({ id }) => !existsSync(path.join(mediaFolder(folder), 'videos', `${id}.mp4`)))
  const wrong = lacking.length > 0 ? `${lacking.length} videos are missing, ${lacking[0]!.id} for one` : undefined
  return { check: 'files', seen: `${files} files for ${rows.length} videos`, wrong }
}
