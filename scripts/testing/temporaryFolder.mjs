import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { TEST_COMPILE_CACHE } from '../run.mjs'

const MEMORY = '/dev/shm'
/** Several times what a run has in files at once. */
const ENOUGH_BYTES = 6 * 2 ** 30

/**
 * Creates the folder of all temporary files of a run, in memory where there is room: tests create and remove a thousand
 * files for each database, and on ext4 a new file searches long for an inode that was not freed in the last minute.
 * In it, `backend/testing/clusterTemplate.ts` shares a database template among test files, and servers that files share
 * keep their data. Test workers and the programs they start keep compiled modules: Node checks each against its source.
 */
export function setup() {
  const folder = folderInMemory() ?? mkdtempSync(path.join(tmpdir(), 'kinora-tests-'))
  // PostgreSQL may run as another account, which must pass through.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = process.env.KINORA_TEST_TEMPLATE = folder
  process.env.NODE_COMPILE_CACHE ??= TEST_COMPILE_CACHE
  // Servers that the workers share end a moment after them.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

/** Returns undefined if there is little memory, or if it may hold no programs. */
function folderInMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (Math.min(bavail * bsize, process.availableMemory()) < ENOUGH_BYTES) return undefined
    const folder = mkdtempSync(path.join(MEMORY, 'kinora-tests-'))
    const program = path.join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
    if (spawnSync(program).status === 0) return folder
    rmSync(folder, { recursive: true })
  } catch {
    // There is no such folder here.
  }
  return undefined
}
