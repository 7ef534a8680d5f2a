import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startTemporalServer, type TemporalServer } from '#workflows/testing/temporalServer.ts'
import { EventStoreDbTestServer } from '../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../kernel/postgres/testing/temporaryPostgres.ts'
import { copyCluster } from './clusterTemplate.ts'
import { type CuttableProxy, startCuttableProxy } from './cuttableProxy.ts'
import { freePort } from './freePort.ts'
import { type Program, startProgram } from './program.ts'
import { type RoundRobinProxy, startRoundRobinProxy } from './roundRobinProxy.ts'

/** The processes of the layout and their roles. */
const PROCESSES = {
  api1: 'api',
  api2: 'api',
  projector: 'projections',
  standby: 'projections',
  worker1: 'workflows',
  worker2: 'workflows',
} as const
export type ProcessName = keyof typeof PROCESSES

export interface SplitLayout {
  /** Public base URL. */
  readonly url: string
  readonly databaseUrl: string
  readonly eventStoreUrl: string
  readonly postgres: TemporaryPostgres
  readonly temporal: TemporalServer
  /** The proxy in front of the event store. */
  readonly network: CuttableProxy
  /** Starts a process. @param entry the module that it runs; by default that of the layout */
  start(name: ProcessName, entry?: string): Promise<void>
  /** Interrupts a process and waits until it has stopped. */
  stop(name: ProcessName): Promise<void>
  /** Kills a process with SIGKILL. */
  kill(name: ProcessName): Promise<void>
  close(): Promise<void>
}

export interface LayoutOptions {
  /** Path of the `temporal` executable. */
  readonly temporal: string
  readonly processes: readonly ProcessName[]
  readonly env?: Record<string, string>
  /** Module that each process runs. Default: Kinora's main module. */
  readonly entry?: string | undefined
  /** Starts the load balancer in front of the ports of the APIs. */
  readonly balance?: (ports: readonly number[]) => Promise<RoundRobinProxy>
}

/** Starts Kinora in several processes on Postgres, Temporal and EventStoreDB's test server, behind a load balancer. */
export async function startSplitLayout(options: LayoutOptions): Promise<SplitLayout> {
  const { temporal, processes, env, entry, balance = startRoundRobinProxy } = options
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-split-'))
  const [postgres, server, eventStore] = await Promise.all([
    startTemporaryPostgres(copyCluster),
    startTemporalServer(temporal),
    new EventStoreDbTestServer().start(),
  ])
  const network = await startCuttableProxy({ host: '127.0.0.1', port: eventStore.port })
  const ports = new Map<ProcessName, number>()
  for (const name of processes) ports.set(name, await freePort())
  const apis = processes.filter((name) => PROCESSES[name] === 'api').map((name) => ports.get(name)!)
  const front = await balance(apis)
  const { socketDir, user, database } = postgres.server
  const databaseUrl = `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
  const eventStoreUrl = `esdb://127.0.0.1:${network.port}?tls=false`
  const shared = {
    DATABASE_URL: databaseUrl,
    EVENTSTORE_URL: eventStoreUrl,
    TEMPORAL_ADDRESS: server.address,
    PUBLIC_URL: front.url,
    SESSION_SECRET: 's'.repeat(32),
    ENCRYPTION_KEY: 'ab'.repeat(32),
    OPERATOR_PASSWORD: 'one for all of them',
    DATA_DIR: folder,
    ...env,
  }
  const running = new Map<ProcessName, Program>()
  const start = async (name: ProcessName, other = entry) => {
    const own = { ROLES: PROCESSES[name], PORT: String(ports.get(name)), HEALTH_PORT: String(await freePort()) }
    running.set(name, await startProgram({ ...shared, ...own }, other))
  }
  const close = async () => {
    await Promise.all([...running.values()].map((program) => program.kill()))
    await front.close()
    await network.close()
    eventStore.kill()
    await Promise.all([server.close(), postgres.close()])
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  await Promise.all(processes.map((name) => start(name))).catch(async (error) => {
    await close()
    throw error
  })
  return {
    url: front.url,
    databaseUrl,
    eventStoreUrl,
    postgres,
    temporal: server,
    network,
    start,
    stop: async (name) => void (await running.get(name)?.stop()),
    kill: async (name) => running.get(name)?.kill(),
    close,
  }
}
