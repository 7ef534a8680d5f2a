import fs from 'node:fs'
import path from 'node:path'

/** What PostgreSQL itself writes about a running server into its data folder. */
export interface Postmaster {
  readonly pid: number
  /** `starting`, `ready`, `stopping`, or empty while the file is still being written. */
  readonly status: string
  readonly socketDir: string
}

const lockFile = (dataDir: string) => path.join(dataDir, 'postmaster.pid')

/** The lock file of a data folder, or undefined where there is none. */
export function readPostmaster(dataDir: string): Postmaster | undefined {
  try {
    const lines = fs.readFileSync(lockFile(dataDir), 'utf8').split('\n')
    const line = (index: number) => (lines[index] ?? '').trim()
    return { pid: Math.abs(Number(line(0))) || 0, status: line(7), socketDir: line(4) }
  } catch {
    return undefined
  }
}

/** Alive and really the server of this folder: after a reboot its pid may belong to some other program. */
export function isServing(pid: number, dataDir: string): boolean {
  if (!pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
  }
  if (process.platform !== 'linux') return true
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(dataDir) && statOf(pid)?.state !== 'Z'
  } catch (error) {
    return codeOf(error) === 'EACCES'
  }
}

/**
 * PostgreSQL refuses to start while the pid in its lock file exists, whatever program that is by now. Every process of a
 * server has its data folder as working folder, so when none has, the lock is stale.
 */
export function removeStaleLock(dataDir: string): void {
  if (process.platform !== 'linux' || !fs.existsSync(lockFile(dataDir))) return
  const folder = fs.realpathSync(dataDir)
  const livesHere = (pid: string) => {
    try {
      return fs.readlinkSync(`/proc/${pid}/cwd`) === folder
    } catch {
      return false
    }
  }
  const processes = fs.readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  if (!processes.some(livesHere)) fs.rmSync(lockFile(dataDir), { force: true })
}

/** Where it cannot be told (not Linux), the answer is yes. */
export function isChildOf(pid: number, parent: number): boolean {
  return process.platform !== 'linux' || statOf(pid)?.parent === parent
}

function statOf(pid: number): { state: string; parent: number } | undefined {
  try {
    // The second field is the program's name in parentheses and may itself hold spaces.
    const [state = '', parent = '0'] = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
