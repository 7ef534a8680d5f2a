import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

/**
 * Returns whether this process shares its media folder with all others on the database: the mark in the folder must
 * match the mark in the database. The first process writes both.
 */
export async function isSharedFolder(folder: string, pool: pg.Pool): Promise<boolean> {
  const file = path.join(folder, '.installation')
  const read = () => readFile(file, 'utf8').catch(() => undefined)
  const found = await read()
  const made = found ?? randomUUID()
  const { rowCount } = await pool.query('insert into media_folder (mark) values ($1) on conflict do nothing', [made])
  if (rowCount && found === undefined) {
    await mkdir(folder, { recursive: true })
    await writeFile(file, made)
  }
  const { rows } = await pool.query<{ mark: string }>('select mark from media_folder')
  // Another process that has inserted the mark may not have written its file yet.
  for (let attempt = 0; attempt < 20 && (await read()) === undefined; attempt++) await delay(50)
  return (await read()) === rows[0]!.mark
}
