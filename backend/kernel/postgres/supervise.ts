import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Identity } from './dropRoot.ts'
import { cleanEnvironment } from './postgresCluster.ts'
import { isChildOf, isServing, readPostmaster } from './postmaster.ts'

/**
 * A shell that holds one end of a pipe to us: when this process is gone, even by kill -9, its `read` ends and it asks
 * PostgreSQL for a fast shutdown.
 */
const supervisor = `
"$@" 3<&- & server=$!
trap 'kill -INT $server' TERM INT HUP
(read -r _ <&3; kill -INT $server) & watcher=$!
exec 3<&-
while kill -0 $server 2>/dev/null; do wait $server; code=$?; done
kill $watcher 2>/dev/null
exit $code`

/** Runs a PostgreSQL server that ends with this process. */
export function supervise(command: readonly string[], identity: Identity, log: (line: string) => void) {
  const child: ChildProcess = spawn('/bin/sh', ['-c', supervisor, 'kinora-postgres', ...command], {
    ...identity.ids,
    env: cleanEnvironment,
    cwd: '/',
    // Its own process group: Ctrl-C in a terminal reaches only us, and we stop it once our work is drained.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const lifeline = (child.stdio[3] as Writable).on('error', () => {})
  const words: string[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => {
    words.push(line)
    if (words.length > 30) words.shift()
    log(line)
  })
  let gone = false
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      gone = true
      resolve()
    }
    // Every process of the server holds its error output, so `close` means that the last one is gone.
    child.once('close', end).once('error', (error) => {
      words.push(error.message)
      end()
    })
  })
  return {
    exited,
    lastWords: () => words.join('\n'),
    async stop() {
      lifeline.end()
      await exited
    },
    /** The server's pid, or undefined when it ended instead. */
    async untilReady(dataDir: string, socketDir: string, deadline: number): Promise<number | undefined> {
      for (; !gone; await pause(10)) {
        const found = readPostmaster(dataDir)
        const ours = found?.socketDir === socketDir && isChildOf(found.pid, child.pid!)
        if (ours && found.status === 'ready' && isServing(found.pid, dataDir)) return found.pid
        if (Date.now() <= deadline) continue
        lifeline.end()
        throw new Error(`PostgreSQL was not ready in time: ${words.join('\n')}`)
      }
      return undefined
    },
  }
}
