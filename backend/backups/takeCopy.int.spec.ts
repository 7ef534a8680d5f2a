import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { backupsOf } from '../app/backups.ts'
import { readConfig } from '../app/config/readConfig.ts'
import type { MediaStore } from '../kernel/media/mediaStore.port.ts'
import { createFolderMediaStore } from '../providers/storage/folderMediaStore.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { backupKeys, newPhrase, recipientOf } from './recoveryPhrase.ts'
import { DAY_MS } from './retention.ts'
import { backUpAndProve } from './startBackups.ts'
import { takeCopy } from './takeCopy.ts'

const VIDEO_BYTES = 3_000_000
const home = mkdtempSync(path.join(os.tmpdir(), 'kinora-take-'))
const video = path.join(home, 'data/media/videos/task.mp4')
let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(home, { recursive: true, force: true })
})

/** Takes a copy with one video, to a place that takes videos with `put`. */
async function copyTo(put: MediaStore['put']) {
  mkdirSync(path.dirname(video), { recursive: true })
  writeFileSync(video, randomBytes(VIDEO_BYTES))
  const store = createFolderMediaStore(path.join(home, 'copies'))
  const config = readConfig({ NODE_ENV: 'test', DATA_DIR: path.join(home, 'data'), DATABASE_URL: db.url })
  const keys = await backupKeys(await recipientOf(newPhrase()), config.secrets.encryption)
  const place = {
    ...store,
    put: (key: string, file: string) => (statSync(file).size > VIDEO_BYTES ? put : store.put)(key, file),
  }
  const signal = new AbortController().signal
  return takeCopy({ config, place, keys, temporaryDir: home, now: Date.now(), erased: [], signal })
}

function contextFor(to: string) {
  const env = { NODE_ENV: 'test', DATA_DIR: path.join(home, 'data'), DATABASE_URL: db.url, BACKUP_TO: to }
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const config = readConfig(env)
  return backupsOf({ config, pool: db.pool, clock: Date.now, temporaryDir: home, log }, config.backup!)
}

/** Returns the state of an installation with a proven copy in this folder. */
async function stateAfter(folder: string) {
  const at = new Date()
  const phrase = { recipient: await recipientOf(newPhrase()), at }
  return { since: at, phrase, folders: [folder], copied: null, proven: { at, copy: at }, failure: null }
}

const missing = async () => {
  throw Object.assign(new Error('the place is gone'), { code: 'ENOENT' })
}

it('fails if the place of the copy is gone, instead of leaving the video out', async () => {
  await expect(copyTo(missing)).rejects.toThrow('the place is gone')
})

it('leaves out a video that is erased during the copy', async () => {
  const erase = async () => {
    rmSync(video)
    return missing()
  }
  expect((await copyTo(erase)).bytes).toBeLessThan(VIDEO_BYTES)
})

it('removes what a killed copy left behind, even if it fails itself', async () => {
  const to = path.join(home, 'killed')
  const left = path.join(to, 'earlier/objects', `0.age.${randomUUID()}.part`)
  mkdirSync(path.dirname(left), { recursive: true })
  writeFileSync(left, 'part of a video')
  const context = { ...contextFor(to), clock: () => Date.now() + 2 * DAY_MS }
  await expect(backUpAndProve(context, await stateAfter('earlier'), AbortSignal.abort())).rejects.toThrow()
  expect(existsSync(left)).toBe(false)
})

it('goes to no folder that has lost the earlier copies, as if its disk were not mounted', async () => {
  const to = path.join(home, 'unmounted')
  mkdirSync(to)
  const { signal } = new AbortController()
  await expect(backUpAndProve(contextFor(to), await stateAfter('earlier'), signal)).rejects.toThrow(
    /unmounted has no earlier copy: .*mkdir -p/,
  )
  expect(readdirSync(to)).toEqual([])
})
