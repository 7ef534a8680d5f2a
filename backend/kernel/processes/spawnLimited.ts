import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

/** Limits that the kernel enforces on a process and the threads in it. */
export type ProcessLimits = Readonly<{
  /** CPU time in seconds, of all threads together. */
  cpuSeconds: number
  /** Address space in bytes. Ignored on macOS, which has no such limit. */
  memoryBytes?: number
  /** Size of the largest file that it may write, in bytes. */
  fileBytes?: number
  /** Time without any progress after which it is killed, in seconds; 60 by default. */
  idleSeconds?: number
  /** Added niceness (POSIX). */
  niceness?: number
}>

/** Default niceness, so that one user's files do not slow the requests of others down. */
const NICENESS = 5

/**
 * Starts a program like `spawn`, with limits and a lower priority. The kernel kills it when it exceeds its CPU time or file size.
 * @example spawnLimited('/usr/bin/ffmpeg', ['-version'], { cpuSeconds: 5 }, { stdio: 'ignore' })
 */
export function spawnLimited<Options extends SpawnOptions>(
  program: string,
  args: readonly string[],
  { cpuSeconds, memoryBytes, fileBytes, niceness = NICENESS }: ProcessLimits,
  options: Options,
): ChildProcess {
  // The units are those of POSIX: seconds, kilobytes and blocks of 512 bytes.
  const limits = [
    `ulimit -t ${Math.ceil(cpuSeconds)}`,
    memoryBytes && `ulimit -v ${Math.ceil(memoryBytes / 1024)} 2>/dev/null || :`,
    fileBytes && `ulimit -f ${Math.ceil(fileBytes / 512)}`,
  ]
  const script = [...limits.filter(Boolean), `exec ${niceness > 0 ? `nice -n ${niceness} ` : ''}"$@"`].join('; ')
  return spawn('/bin/sh', ['-c', script, 'sh', program, ...args], options)
}
