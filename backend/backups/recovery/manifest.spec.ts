import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { MANIFEST, RecoveryError, readManifest } from './manifest.ts'

it.each(['', '{"format":1,"takenAt":"20'])('refuses a backup that ended while it wrote its manifest: %j', (text) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-manifest-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(path.join(folder, MANIFEST), text)
  expect(() => readManifest(folder)).toThrow(RecoveryError)
})
