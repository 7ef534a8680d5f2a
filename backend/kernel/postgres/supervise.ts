import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Identity } from './dropRoot.ts'
import { cleanEnvironment } from './postgresCluster.ts'
import { isChildOf, readPostmaster } from './postmaster.ts'

/**
 * Shell script that reads from a pipe held by this process. When this process ends, even by SIGKILL, the read ends and
 * the shell requests a fast shutdown of PostgreSQL. If the server ends immediately, the watcher may still have the shell's
 * trap, which only SIGKILL passes.
 */
const supervisor = `
"$@" 3<&- & server=$!
trap 'kill -INT $server' TERM INT HUP
(read -r _ <&3; kill -INT $server) & watcher=$!
exec 3<&-
while kill -0 $server 2>/dev/null; do wait $server; code=$?; done
kill -KILL $watcher 2>/dev/null
exit $code`

/**
 * Starts a PostgreSQL server that stops when this process ends.
 * @example const server = supervise(['postgres', '-D', dataDir], identity, log)
 */
export function supervise(command: readonly string[], identity: Identity, log: (line: string) => void) {
  const child: ChildProcess = spawn('/bin/sh', ['-c', supervisor, 'kinora-postgres', ...command], {
    ...identity.ids,
    env: cleanEnvironment,
    cwd: '/',
    // In a separate process group, so that Ctrl-C reaches only this process, which stops the server after draining.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const lifeline = (child.stdio[3] as Writable).on('error', () => {})
  const output: string[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => {
    output.push(line)
    if (output.length > 30) output.shift()
    log(line)
  })
  let hasExited = false
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      hasExited = true
      resolve()
    }
    // All server processes share stderr, so `close` means that the last one has exited.
    child.once('close', end).once('error', (error) => {
      output.push(error.message)
      end()
    })
  })
  return {
    exited,
    output: () => output.join('\n'),
    async stop() {
      lifeline.end()
      await exited
    },
    /**
     * Waits until the server accepts connections. Returns its pid, or undefined if it exited.
     * @param deadline as `performance.now()` counts
     * @throws Error timeout
     */
    async untilReady(dataDir: string, socketDir: string, deadline: number): Promise<number | undefined> {
      for (; !hasExited; await pause(10)) {
        const found = readPostmaster(dataDir)
        const isOurs = found?.socketDir === socketDir && isChildOf(found.pid, child.pid!)
        if (isOurs && found.status === 'ready') return found.pid
        if (performance.now() <= deadline) continue
        lifeline.end()
        throw new Error(`PostgreSQL was not ready in time: ${output.join('\n')}`)
      }
      return undefined
    },
  }
}
