import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFolderMediaStore } from '../providers/storage/folderMediaStore.ts'
import { decrypt, encryptFile } from './ageFiles.ts'
import { type Catalogue, catalogueKey, readCatalogue, writeCatalogue } from './catalogue.ts'
import { backupKeys, newPhrase, recipientOf } from './recoveryPhrase.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'kinora-catalogue-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const takenAt = Date.UTC(2026, 0, 31)
const file = { object: 'a'.repeat(64), bytes: 3, sha256: 'b'.repeat(64), changedAt: takenAt + 0.5 }

function catalogueOf(files: Catalogue['files']): Catalogue {
  const manifest: Catalogue['manifest'] = {
    ...{ format: 1, takenAt: new Date(takenAt).toISOString(), migrations: [], tables: [] },
    ...{ log: 'here', media: 'bucket', secrets: true },
  }
  return { format: 1, manifest, files, erased: ['user-1'] }
}

async function open() {
  const keys = await backupKeys(await recipientOf(newPhrase()), 'ab'.repeat(32))
  const place = createFolderMediaStore(path.join(home, 'copies'))
  const at = { folder: keys.folder, takenAt }
  return {
    write: (catalogue: Catalogue) => writeCatalogue(place, at, catalogue, keys.recipients, home),
    async writeText(text: string) {
      const sealed = path.join(home, 'sealed')
      writeFileSync(`${sealed}.gz`, gzipSync(text))
      await encryptFile(`${sealed}.gz`, sealed, keys.recipients)
      await place.put(catalogueKey(at), sealed)
    },
    async readText() {
      const plain = path.join(home, 'plain.gz')
      await decrypt(place.read(catalogueKey(at)), () => createWriteStream(plain), keys.identity)
      return String(gunzipSync(readFileSync(plain)))
    },
    read: () => readCatalogue(place, at, keys.identity, home),
  }
}

it.each([0, 1, 3])('reads back a catalogue of %i files', async (count) => {
  const names = Array.from({ length: count }, (_, index) => `media/"${index}",\n{é}.mp4`)
  const catalogue = catalogueOf(Object.fromEntries(names.map((name) => [name, file])))
  const { write, read } = await open()
  await write(catalogue)
  expect(await read()).toEqual(catalogue)
})

it('refuses a catalogue that is not complete JSON', async () => {
  const { writeText, read } = await open()
  for (const text of ['', '{"format":1', 'no catalogue']) {
    await writeText(text)
    await expect(read()).rejects.toThrow('is damaged')
  }
})

it('has no line longer than a file needs: the whole may not fit into a string', async () => {
  const files = Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [`media/${index}.mp4`, file]))
  const { write, read, readText } = await open()
  await write(catalogueOf(files))
  const longest = Math.max(...(await readText()).split('\n').map(({ length }) => length))
  expect(longest).toBeLessThan(300)
  expect((await read()).files).toEqual(files)
})
