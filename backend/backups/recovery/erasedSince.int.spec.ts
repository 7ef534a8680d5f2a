import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createFolderMediaStore } from '../../providers/storage/folderMediaStore.ts'
import { type Catalogue, type CopyAt, catalogueKey, writeCatalogue } from '../catalogue.ts'
import { backupKeys, identityOf, newPhrase, recipientOf } from '../recoveryPhrase.ts'
import { erasedSince } from './restoreCopy.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-erased-since-'))
afterAll(() => rmSync(folder, { recursive: true }))

const phrase = newPhrase()
const identity = identityOf(phrase)
const root = path.join(folder, 'place')
const place = createFolderMediaStore(root)

async function copyTaken(takenAt: number, erased: string[], of = phrase): Promise<CopyAt> {
  const keys = await backupKeys(await recipientOf(of), 'ab'.repeat(32))
  const at = { folder: keys.folder, takenAt }
  const manifest: Catalogue['manifest'] = {
    ...{ format: 1, takenAt: new Date(takenAt).toISOString(), migrations: [], tables: [] },
    ...{ log: 'here', media: 'bucket', secrets: true },
  }
  await writeCatalogue(place, at, { format: 1, manifest, files: {}, erased }, keys.recipients, folder)
  return at
}

it('the erasures of a later copy are found although newer ones are damaged or of another installation', async () => {
  const chosen = await copyTaken(1_000, ['early'])
  const later = await copyTaken(2_000, ['early', 'late'])
  const damaged = await copyTaken(3_000, [])
  writeFileSync(path.join(root, catalogueKey(damaged)), 'damaged')
  const foreign = await copyTaken(4_000, ['theirs'], newPhrase())
  mkdirSync(path.join(folder, 'stage'))
  const find = (copies: CopyAt[]) => erasedSince(chosen, copies, { place, identity, stage: path.join(folder, 'stage') })
  expect([...(await find([foreign, damaged, later, chosen]))]).toEqual(['early', 'late'])
  expect([...(await find([foreign, damaged, chosen]))]).toEqual(['early'])
})
