import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isAlive } from '../isAlive.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/**
 * Creates a folder for this process's unfinished files, on the same file system as the finished ones. Removes folders
 * of dead processes: immediately if they ran on this machine, otherwise after a day.
 * @example const dir = makeTemporaryDir('.data')
 */
export function makeTemporaryDir(dataDir: string): string {
  const parent = path.join(dataDir, 'tmp')
  const own = path.join(parent, `${os.hostname()}-${process.pid}-${performance.timeOrigin.toFixed(0)}`)
  mkdirSync(own, { recursive: true })
  setInterval(() => touch(own), HOUR_MS).unref()
  for (const name of readdirSync(parent)) {
    const folder = path.join(parent, name)
    if (folder !== own && isAbandoned(folder, name)) rmSync(folder, { recursive: true, force: true })
  }
  return own
}

/** Keeps a folder recent: other machines remove those that are a day old, and an idle process writes no file for days. */
function touch(folder: string): void {
  const now = Date.now() / 1000
  try {
    utimesSync(folder, now, now)
  } catch {
    // The process has removed it.
  }
}

function isAbandoned(folder: string, name: string): boolean {
  const [, host, pid] = /^(.+)-(\d+)-\d+$/.exec(name) ?? []
  if (host === os.hostname()) return Number(pid) === process.pid || !isAlive(Number(pid))
  return Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) > DAY_MS
}
