import { randomBytes } from 'node:crypto'
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import type { ListedStore } from '../kernel/media/mediaStore.port.ts'
import { encryptFile, measureFile } from './ageFiles.ts'
import { fetchCopy } from './fetchCopy.ts'
import { backupKeys, identityOf, newPhrase, recipientOf } from './recoveryPhrase.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-fetch-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const phrase = newPhrase()
const plain = path.join(folder, 'plain')
const sealed = path.join(folder, 'sealed')

/** Fetches a copy with one file from a store whose first downloads break off. Returns the number of downloads. */
async function fetchWith(broken: number, into: string, after = 150_000): Promise<number> {
  writeFileSync(plain, randomBytes(300_000))
  await encryptFile(plain, sealed, (await backupKeys(await recipientOf(phrase), 'ab'.repeat(32))).recipients)
  const [content, half] = [await measureFile(plain), readFileSync(sealed).subarray(0, after)]
  let downloads = 0
  const read = () => (++downloads <= broken ? Readable.from([half]) : createReadStream(sealed))
  mkdirSync(into)
  const catalogue = { files: { 'media/a.mp4': { object: 'a'.repeat(64), changedAt: 0, ...content } }, manifest: {} }
  const at = { folder: 'f', takenAt: 0 }
  const from = {
    place: { read } as never as ListedStore,
    at,
    catalogue: catalogue as never,
    identity: identityOf(phrase),
  }
  await fetchCopy(from, into)
  return downloads
}

describe('a download of a copy', () => {
  it('is repeated when it breaks off', async () => {
    const into = path.join(folder, 'repeated')
    expect(await fetchWith(2, into)).toBe(3)
    expect(readFileSync(path.join(into, 'media/a.mp4')).equals(readFileSync(plain))).toBe(true)
  })

  it('fails after three attempts', async () => {
    await expect(fetchWith(3, path.join(folder, 'failed'))).rejects.toThrow(/incomplete or damaged: media\/a\.mp4/)
  })

  it('creates no file if its beginning is missing', async () => {
    const into = path.join(folder, 'without-beginning')
    await expect(fetchWith(3, into, 20)).rejects.toThrow(/incomplete or damaged: media\/a\.mp4/)
    expect(readdirSync(path.join(into, 'media'))).toEqual([])
  })
})
