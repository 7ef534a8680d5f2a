import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

/**
 * Whether a folder is the one that every process on this database keeps its media in: a mark that lies in it must be the
 * database's. The first process makes both.
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
  // Whoever made it may still be writing it down.
  for (let look = 0; look < 20 && (await read()) === undefined; look++) await delay(50)
  return (await read()) === rows[0]!.mark
}
