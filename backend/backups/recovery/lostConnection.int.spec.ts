import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { PRODUCT } from '../../app/backups.ts'
import { readConfig } from '../../app/config/readConfig.ts'
import { startTemporaryPostgres } from '../../kernel/postgres/testing/temporaryPostgres.ts'
import { startTemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { backUp } from './backUp.ts'
import { restore } from './restore.ts'

it('rejects a restore whose connection is lost while it waits for the migrations', async () => {
  const [from, into] = await Promise.all([startTemporaryDatabase(), startTemporaryPostgres()])
  const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-lost-'))
  onTestFinished(async () => {
    await Promise.all([from.close(), into.close()])
    rmSync(place, { recursive: true, force: true })
  })
  const backup = path.join(place, 'backup')
  const dataDir = path.join(place, 'data')
  await backUp(readConfig({ NODE_ENV: 'test', DATA_DIR: dataDir, DATABASE_URL: from.url }), backup, false)
  const { socketDir, user, database } = into.server
  const databaseUrl = `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
  const restored = restore(backup, { dataDir, databaseUrl }, PRODUCT, async () => {}).then(
    () => 'restored',
    (error: Error) => error.message,
  )
  // The session that marked the restore as unfinished.
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where query like 'create table %unfinished_restore%' and state = 'idle'`
  while ((await into.pool.query(end)).rowCount === 0) await turn()
  expect(await restored).toMatch(/connection/i)
})
