import { readdirSync, readFileSync } from 'node:fs'

/** Duration of a clock tick, the unit of CPU time in `/proc` on Linux, ms. */
const TICK_MS = 10

/**
 * Returns the fields of `/proc/<pid>/stat` after the process name, starting with state and parent pid. The name may
 * contain spaces.
 */
const fieldsOf = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Returns the pid of a process's parent. */
export const parentOf = (pid: number): number => Number(fieldsOf(pid)[1])

/** Returns the CPU time of a process in milliseconds, without its children. */
export const ownCpuTime = (pid: number): number => ticksOf(pid, 2) * TICK_MS

/** Returns the sum of the first fields of CPU time: user and system, then the same of exited children. */
const ticksOf = (pid: number, fields: 2 | 4): number =>
  fieldsOf(pid)
    .slice(11, 11 + fields)
    .reduce((sum, field) => sum + Number(field), 0)

/** Returns the CPU time in milliseconds of a process and its descendants, including exited children. */
export function cpuTime(root: number): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      parents.set(Number(name), parentOf(Number(name)))
    } catch {
      // The process has exited.
    }
  }
  const descends = (pid: number): boolean => pid === root || (parents.has(pid) && descends(parents.get(pid)!))
  let ticks = 0
  for (const pid of parents.keys()) {
    if (!descends(pid)) continue
    try {
      ticks += ticksOf(pid, 4)
    } catch {
      // The process has exited.
    }
  }
  return ticks * TICK_MS
}
