import fs from 'node:fs'
import path from 'node:path'
import { isAlive } from '../isAlive.ts'

/** State of a running server, from the lock file that PostgreSQL keeps in its data folder. */
interface Postmaster {
  readonly pid: number
  /** `starting`, `ready`, `stopping`, or empty while the file is being written. */
  readonly status: string
  readonly socketDir: string
}

const lockFile = (dataDir: string) => path.join(dataDir, 'postmaster.pid')

/** Reads the lock file of a data folder. Returns undefined if no server serves the folder. */
export function readPostmaster(dataDir: string): Postmaster | undefined {
  try {
    const lines = fs.readFileSync(lockFile(dataDir), 'utf8').split('\n')
    const line = (index: number) => (lines[index] ?? '').trim()
    const pid = Math.abs(Number(line(0))) || 0
    return isServing(pid, dataDir) ? { pid, status: line(7), socketDir: line(4) } : undefined
  } catch {
    return undefined
  }
}

/** Returns whether the process is alive and serves this folder. After a reboot, another program may have its pid. */
export function isServing(pid: number, dataDir: string): boolean {
  if (!pid || !isAlive(pid)) return false
  if (process.platform !== 'linux') return true
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(dataDir) && statOf(pid)?.state !== 'Z'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}

/**
 * Removes a stale lock file. PostgreSQL refuses to start while any process has the pid in its lock file. Server
 * processes have the data folder as their working directory; if no process does, the lock is stale.
 */
export function removeStaleLock(dataDir: string): void {
  if (process.platform !== 'linux' || !fs.existsSync(lockFile(dataDir))) return
  const folder = fs.realpathSync(dataDir)
  const servesFolder = (pid: string) => {
    try {
      return fs.readlinkSync(`/proc/${pid}/cwd`) === folder
    } catch {
      return false
    }
  }
  const processes = fs.readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  if (!processes.some(servesFolder)) fs.rmSync(lockFile(dataDir), { force: true })
}

/** Returns whether a process is a child of another; always true on systems other than Linux. */
export function isChildOf(pid: number, parent: number): boolean {
  return process.platform !== 'linux' || statOf(pid)?.parent === parent
}

function statOf(pid: number): { state: string; parent: number } | undefined {
  try {
    // The second field is the program's name in parentheses, which may contain spaces.
    const [state = '', parent = '0'] = fs
      .readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}
