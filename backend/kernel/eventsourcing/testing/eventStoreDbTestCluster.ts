import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { freePort } from '#backend/testing/freePort.ts'
import type { Member } from './eventStoreDbTestMessages.ts'
import type { TestProcessOptions } from './eventStoreDbTestProcess.ts'

const PROGRAM = path.join(import.meta.dirname, 'eventStoreDbTestProcess.ts')

/** Test servers in processes of their own, which share a log on disk. Members are numbered from 0, the first leader. */
export interface TestCluster {
  readonly url: string
  start(member: number): Promise<void>
  /** Ends a member with SIGKILL. */
  kill(member: number): Promise<void>
  /** Stops a member with SIGSTOP: it accepts connections and never answers. */
  pause(member: number): void
  resume(member: number): void
  /** Tells every member who leads; undefined during an election. Members in `dead` are reported as dead. */
  elect(leader: number | undefined, dead?: readonly number[]): void
  close(): Promise<void>
}

export async function startTestCluster(size: number): Promise<TestCluster> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-events-'))
  const [log, file] = [path.join(folder, 'log'), path.join(folder, 'cluster.json')]
  const ports = await Promise.all(Array.from({ length: size }, freePort))
  const children = new Map<number, ChildProcess>()
  const elect = (leader: number | undefined, dead: readonly number[] = []) => {
    const stateOf = (n: number) => (n === leader ? 'leader' : dead.includes(n) ? 'dead' : 'follower')
    const members: Member[] = ports.map((port, n) => ({ host: '127.0.0.1', port, state: stateOf(n) }))
    writeFileSync(`${file}.new`, JSON.stringify(members))
    renameSync(`${file}.new`, file)
  }
  const start = async (member: number) => {
    const options: TestProcessOptions = { port: ports[member]!, log, ...(size > 1 && { cluster: file }) }
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.set(member, child)
    await once(child.stdout!, 'data')
  }
  const kill = async (member: number) => {
    const child = children.get(member)!
    children.delete(member)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  elect(0)
  await Promise.all(ports.map((_, member) => start(member)))
  return {
    url: `esdb://${ports.map((port) => `127.0.0.1:${port}`).join(',')}?tls=false`,
    start,
    kill,
    pause: (member) => void children.get(member)!.kill('SIGSTOP'),
    resume: (member) => void children.get(member)!.kill('SIGCONT'),
    elect,
    async close() {
      await Promise.all([...children.keys()].map(kill))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
