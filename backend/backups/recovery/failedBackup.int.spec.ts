import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../app/config/readConfig.ts'
import { OPERATORS_FILE } from '../../audit/operatorKeys.ts'
import { startTemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { backUp } from './backUp.ts'

it('removes the folder of a backup that fails, so that it can be made again', async () => {
  const from = await startTemporaryDatabase()
  const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-failed-'))
  onTestFinished(async () => {
    await from.close()
    rmSync(place, { recursive: true, force: true })
  })
  const [backup, dataDir] = [path.join(place, 'backup'), path.join(place, 'data')]
  const config = readConfig({ NODE_ENV: 'test', DATA_DIR: dataDir, DATABASE_URL: from.url })
  // A folder cannot be copied as a file.
  mkdirSync(path.join(dataDir, OPERATORS_FILE), { recursive: true })
  await expect(backUp(config, backup, false)).rejects.toThrow()
  expect(existsSync(backup)).toBe(false)
  rmSync(path.join(dataDir, OPERATORS_FILE), { recursive: true })
  expect((await backUp(config, backup, false)).tables.length).toBeGreaterThan(0)
})
