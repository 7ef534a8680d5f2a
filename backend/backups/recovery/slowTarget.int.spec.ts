import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../app/config/readConfig.ts'
import { startTemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { backUp } from './backUp.ts'
import { tableFile } from './manifest.ts'

it('completes a backup whose target stalls for longer than the server lets transactions wait', async () => {
  const db = await startTemporaryDatabase()
  const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-slow-'))
  onTestFinished(async () => {
    await db.close()
    rmSync(place, { recursive: true, force: true })
  })
  const DATABASE_URL = `${db.url}&idle_in_transaction_session_timeout=200`
  const config = readConfig({ NODE_ENV: 'test', DATA_DIR: path.join(place, 'data'), DATABASE_URL })
  const backup = path.join(place, 'backup')
  const taken = backUp(config, backup, false)
  while (!existsSync(path.join(backup, 'tables'))) await turn()
  const pipe = tableFile(backup, 'user_account')
  execFileSync('mkfifo', [pipe])
  spawn('sh', ['-c', 'sleep 1; exec cat "$0" > /dev/null', pipe])
  expect((await taken).tables.map(({ name }) => name)).toContain('user_account')
})
