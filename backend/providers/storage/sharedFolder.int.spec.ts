import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { isSharedFolder } from './sharedFolder.ts'

const home = mkdtempSync(path.join(os.tmpdir(), 'kinora-shared-'))
let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(home, { recursive: true })
})

it('marks the folder of the first processes, also after one could not write to it', async () => {
  const dataDir = path.join(home, 'data')
  const media = path.join(dataDir, 'media')
  writeFileSync(dataDir, 'no folder')
  await expect(isSharedFolder(media, db.pool)).rejects.toThrow('ENOTDIR')
  rmSync(dataDir)
  const together = [1, 2, 3].map(() => isSharedFolder(media, db.pool))
  expect(await Promise.all(together)).toEqual([true, true, true])
  expect(await isSharedFolder(path.join(home, 'another'), db.pool)).toBe(false)
  expect(await isSharedFolder(media, db.pool)).toBe(true)
})
