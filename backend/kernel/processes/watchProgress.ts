import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Number of looks at a program within the time after which it is stuck. */
const LOOKS = 6

/**
 * Kills a program that has neither used CPU time nor read or written for `idleMs` although it has input to read, or all of
 * it. Under a limit of memory, some releases of ffmpeg neither fail nor end. Linux only.
 * @returns whether the program was killed for it
 */
export function watchProgress(child: ChildProcess, idleMs: number): () => boolean {
  let isStuck = false
  let idleLooks = 0
  let last = progressOf(child.pid)
  const timer = setInterval(() => {
    const now = progressOf(child.pid)
    const isFed = !child.stdin || child.stdin.writableLength > 0 || child.stdin.writableEnded
    idleLooks = now !== undefined && now === last && isFed ? idleLooks + 1 : 0
    last = now
    if (idleLooks < LOOKS) return
    isStuck = true
    child.kill('SIGKILL')
  }, idleMs / LOOKS)
  timer.unref()
  child.once('close', () => clearInterval(timer))
  child.once('error', () => clearInterval(timer))
  return () => isStuck
}

/** Returns what changes while a process works; undefined if it has ended, or the system does not tell. */
function progressOf(pid: number | undefined): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may contain spaces: the fields 14 and 15 are the CPU time in user and system mode.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
    const [read, written] = readFileSync(`/proc/${pid}/io`, 'utf8').split('\n')
    return [user, system, read, written].join()
  } catch {
    return undefined
  }
}
