import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { makeTemporaryDir } from './temporaryDir.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-temporary-'))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  rmSync(dataDir, { recursive: true })
})

const HOUR_MS = 3_600_000

it('keeps the folder of a process on another machine that wrote no file for days, until it has ended', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'Date'] })
  const idle = makeTemporaryDir(dataDir)
  vi.advanceTimersByTime(72 * HOUR_MS)
  vi.spyOn(os, 'hostname').mockReturnValue('another')
  makeTemporaryDir(dataDir)
  expect(existsSync(idle)).toBe(true)
  const dayAfter = Date.now() + 25 * HOUR_MS
  vi.clearAllTimers()
  vi.setSystemTime(dayAfter)
  vi.spyOn(os, 'hostname').mockReturnValue('a third')
  makeTemporaryDir(dataDir)
  expect(existsSync(idle)).toBe(false)
})
