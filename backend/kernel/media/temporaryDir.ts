import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const A_DAY_MS = 24 * 60 * 60_000

/**
 * A folder of this process for files that are not finished, beside where they will lie. What processes that are gone have
 * left is removed: those of this machine at once, those of others, which may share the folder, after a day.
 */
export function makeTemporaryDir(dataDir: string): string {
  const parent = path.join(dataDir, 'tmp')
  const own = path.join(parent, `${os.hostname()}-${process.pid}-${performance.timeOrigin.toFixed(0)}`)
  mkdirSync(own, { recursive: true })
  for (const name of readdirSync(parent)) {
    const folder = path.join(parent, name)
    if (folder !== own && isLeft(folder, name)) rmSync(folder, { recursive: true, force: true })
  }
  return own
}

function isLeft(folder: string, name: string): boolean {
  const [, host, pid] = /^(.+)-(\d+)-\d+$/.exec(name) ?? []
  if (host === os.hostname()) return Number(pid) === process.pid || !isAlive(Number(pid))
  return Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) > A_DAY_MS
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
