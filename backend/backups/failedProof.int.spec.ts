import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { backupsOf } from '../app/backups.ts'
import { readConfig } from '../app/config/readConfig.ts'
import { startTemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { readBackupState, savePhrase } from './backupState.ts'
import { nameOf } from './catalogue.ts'
import { newPhrase, recipientOf } from './recoveryPhrase.ts'
import { DAY_MS } from './retention.ts'
import { backUpAndProve } from './startBackups.ts'

it('proves the copy of the night again if its proof fails, and removes expired copies but the last proven one', async () => {
  const db = await startTemporaryDatabase()
  const home = mkdtempSync(path.join(os.tmpdir(), 'kinora-unproven-'))
  onTestFinished(async () => {
    await db.close()
    rmSync(home, { recursive: true, force: true })
  })
  const to = path.join(home, 'copies')
  const env = { NODE_ENV: 'test', DATA_DIR: path.join(home, 'data'), DATABASE_URL: db.url, BACKUP_TO: to }
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  await savePhrase(db.pool, await recipientOf(newPhrase()), null)
  const start = Date.UTC(2100, 0, 1, 12)
  const backUpAfter = async (ms: number) => {
    const config = readConfig(env)
    const context = backupsOf(
      { config, pool: db.pool, clock: () => start + ms, temporaryDir: home, log },
      config.backup!,
    )
    await backUpAndProve(context, await readBackupState(db.pool), new AbortController().signal)
  }
  const copies = () => {
    const names = readdirSync(to, { recursive: true, encoding: 'utf8' }).filter((name) => /copies.*age$/.test(name))
    return names.map((name) => path.basename(name, '.age')).sort()
  }
  await backUpAfter(0)
  // As in a rollback: the database has a migration of a newer version.
  await db.pool.query(`insert into migration (name) values ('M9999Newer')`)
  const newer = 'made by a newer version, which has M9999Newer'
  await expect(backUpAfter(DAY_MS)).rejects.toThrow(newer)
  await expect(backUpAfter(DAY_MS + 1)).rejects.toThrow(newer)
  expect(copies()).toEqual([nameOf(start), nameOf(start + DAY_MS)])
  await expect(backUpAfter(50 * DAY_MS)).rejects.toThrow(newer)
  expect(copies()).toEqual([nameOf(start), nameOf(start + 50 * DAY_MS)])
})
