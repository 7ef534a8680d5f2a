import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createFolderMediaStore } from '../providers/storage/folderMediaStore.ts'
import { catalogueKey, objectKey } from './catalogue.ts'
import { backupKeys, newPhrase, recipientOf } from './recoveryPhrase.ts'
import { removeExpired } from './removeExpired.ts'
import { DAY_MS } from './retention.ts'

const home = mkdtempSync(path.join(os.tmpdir(), 'kinora-expired-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

it('removes the objects of earlier keys that an interrupted removal has left without a copy', async () => {
  const place = createFolderMediaStore(path.join(home, 'copies'))
  const write = async (key: string) => {
    writeFileSync(path.join(home, 'file'), 'sealed')
    await place.put(key, path.join(home, 'file'))
  }
  const now = Date.UTC(2026, 0, 31)
  const [expired, recent, interrupted] = ['a', 'b', 'c'].map((digit) => digit.repeat(16)) as [string, string, string]
  await write(catalogueKey({ folder: expired, takenAt: now - 36 * DAY_MS }))
  await write(catalogueKey({ folder: recent, takenAt: now - 34 * DAY_MS }))
  for (const folder of [expired, recent, interrupted, 'foreign']) await write(objectKey(folder, 'd'.repeat(64)))
  const keys = await backupKeys(await recipientOf(newPhrase()), 'ab'.repeat(32))
  const former = [expired, recent, interrupted]
  const { signal } = new AbortController()
  expect(await removeExpired({ place, keys, former, keepDays: 35, now, temporaryDir: home, signal })).toBe(3)
  const left = await Array.fromAsync(place.list(''), ({ key }) => key.split('/')[0])
  expect(left.toSorted()).toEqual([recent, recent, 'foreign'])
})
