import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { catalogueKey } from './catalogue.ts'
import { proveInChild } from './proveInChild.ts'

const PROGRAM = path.resolve(import.meta.dirname, '../programs/children/proveCopy.ts')

it('leaves no decrypted files of a proof that was killed', async () => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'kinora-prove-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const [folder, temporaryDir] = [path.join(home, 'copies'), path.join(home, 'tmp')]
  const at = { folder: '0123456789abcdef', takenAt: 0 }
  const catalogue = path.join(folder, catalogueKey(at))
  for (const made of [temporaryDir, path.dirname(catalogue)]) mkdirSync(made, { recursive: true })
  // The proof waits for the catalogue.
  execFileSync('mkfifo', [catalogue])
  const config = { database: undefined, dataDir: home, eventStore: undefined }
  const kill = new AbortController()
  const proof = proveInChild(PROGRAM, { config, to: { folder }, at, identity: '' }, temporaryDir, kill.signal)
  await eventually(() => expect(readdirSync(temporaryDir)).toHaveLength(1))
  kill.abort(new Error('killed'))
  await expect(proof).rejects.toThrow('killed')
  expect(readdirSync(temporaryDir)).toEqual([])
})
