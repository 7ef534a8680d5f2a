import { randomUUID } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { createOnce } from '../../kernel/createOnce.ts'
import { onlyRow } from '../../kernel/postgres/onlyRow.ts'

/**
 * Returns whether this process shares its media folder with all others on the database: the mark in the folder must
 * match the mark in the database. The first process writes both.
 */
export async function isSharedFolder(folder: string, pool: pg.Pool): Promise<boolean> {
  const file = path.join(folder, '.installation')
  await mkdir(folder, { recursive: true })
  createOnce(file, randomUUID(), 0o644)
  const mark = await readFile(file, 'utf8')
  await pool.query('insert into media_folder (mark) values ($1) on conflict do nothing', [mark])
  const found = await pool.query<{ mark: string }>('select mark from media_folder')
  return mark === onlyRow(found).mark
}
