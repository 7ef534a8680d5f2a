import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startEmbeddedPostgres } from '#backend/kernel/postgres/embeddedPostgres.ts'
import { openPool } from '#backend/kernel/postgres/openPool.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { type Program, startProgram } from '#backend/testing/program.ts'
import { startRoundRobinProxy } from '#backend/testing/roundRobinProxy.ts'
import { RETURN_MEMORY } from '../../../scripts/run.mjs'
import { countedFfmpeg } from './countedFfmpeg.ts'

const ROLES = {
  ...{ api1: 'api', api2: 'api', projector1: 'projections', projector2: 'projections' },
  ...{ worker1: 'workflows', worker2: 'workflows' },
}
export type ProcessName = keyof typeof ROLES
export const PROCESSES = Object.keys(ROLES) as ProcessName[]

export type Layout = Awaited<ReturnType<typeof startLayout>>

/**
 * Starts two processes of each role behind one port, on a PostgreSQL server that flushes each commit and holds the event
 * log, with the embedded engine. The projectors share the read models; of the workers, one works and the other stands by.
 */
export async function startLayout(env: Record<string, string>) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-load-'))
  const server = await startEmbeddedPostgres({ dataDir: path.join(folder, 'postgres') })
  const { socketDir: host, port, user, database } = server
  const ffmpeg = await countedFfmpeg(process.env.FFMPEG_PATH, folder)
  const ports = new Map<ProcessName, number>()
  for (const name of PROCESSES) ports.set(name, await freePort())
  const front = await startRoundRobinProxy([ports.get('api1')!, ports.get('api2')!])
  const databaseUrl = `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(host)}`
  const shared = {
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: folder, FFMPEG_PATH: ffmpeg.program },
    ...{ SESSION_SECRET: 's'.repeat(32), ENCRYPTION_KEY: 'ab'.repeat(32), OPERATOR_PASSWORD: 'a long password' },
    ...{ PUBLIC_URL: front.url, SESSION_RATE: '1000000', NETWORK_RATE: '1000000' },
    ...RETURN_MEMORY,
    ...env,
  }
  const entry = path.join(import.meta.dirname, 'loadProgram.ts')
  const running = new Map<ProcessName, Program>()
  const start = async (name: ProcessName) => {
    const own = {
      ...{ ROLES: ROLES[name], PORT: String(ports.get(name)), KINORA_BENCH_PROCESS: name },
      DATABASE_URL: `${databaseUrl}&application_name=${name}`,
    }
    running.set(name, await startProgram({ ...shared, ...own }, entry))
  }
  const close = async () => {
    await Promise.all([...running.values()].map((program) => program.kill()))
    await front.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  try {
    for (const name of PROCESSES) await start(name)
  } catch (error) {
    await close()
    throw error
  }
  return {
    url: front.url,
    folder,
    /** Runs of ffmpeg in the installation. */
    ffmpeg,
    /** Process id of the PostgreSQL server. */
    postmaster: server.pid,
    /** Environment of programs that work on the installation. */
    env: shared,
    running: running as ReadonlyMap<ProcessName, Program>,
    connect: () => openPool({ host, port, user, database, max: 2 }),
    start,
    close,
  }
}
