import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbeddedPostgres } from '#backend/kernel/postgres/embeddedPostgres.ts'
import { openPool } from '#backend/kernel/postgres/openPool.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { type Program, startProgram } from '#backend/testing/program.ts'
import { GENERATION, registerUser } from '#backend/testing/testUser.ts'
import { cpuTime } from './analytics/cpuTime.ts'
import { type Connection, connection } from './analytics/rawHttp.ts'
import { compareRates } from './ratios/compareRates.ts'
import { record } from './table/record.ts'

/**
 * Compares `POST /videos/generate` with node:http and the same SQL without an event log: `npm run bench -- http [connections …]`.
 * Once with all roles in one process, and once with the API alone and the other roles in another process. All share one
 * PostgreSQL server that flushes each commit. Koa with the same SQL shows what the framework costs.
 */
const CONNECTIONS = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [16, 64]
/** So many that none makes more calls in a minute than a user may. */
const USERS = 128
const MAX_REST_MS = 5_000
const BODY = JSON.stringify(GENERATION)

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bench-'))
const server = await startEmbeddedPostgres({ dataDir: path.join(folder, 'postgres') })
const { socketDir: host, port, user } = server
const root = openPool({ host, port, user, database: 'postgres', max: 1 })

async function newDatabase(name: string): Promise<string> {
  await root.query(`create database ${name}`)
  return `postgresql://${user}@localhost/${name}?host=${encodeURIComponent(host)}`
}

/** Starts the roles, each entry in a process of its own. The first one is the API. */
async function startKinora(name: string, roles: readonly string[]): Promise<readonly Program[]> {
  const api = String(await freePort())
  const shared = {
    ...{ DATABASE_URL: await newDatabase(name), DATA_DIR: path.join(folder, name) },
    ...{ SESSION_SECRET: 's'.repeat(32), ENCRYPTION_KEY: 'ab'.repeat(32), OPERATOR_PASSWORD: 'a long password' },
    ...{ PUBLIC_URL: `http://127.0.0.1:${api}`, SESSION_RATE: '1000000', NETWORK_RATE: '1000000' },
  }
  const entry = path.join(import.meta.dirname, 'http/endlessProgram.ts')
  const programs: Program[] = []
  for (const [n, role] of roles.entries())
    programs.push(await startProgram({ ...shared, ROLES: role, PORT: n === 0 ? api : String(await freePort()) }, entry))
  return programs
}

/** Starts the peers. Returns their addresses and pid. */
async function startPeers() {
  await newDatabase('peer')
  const entry = path.join(import.meta.dirname, 'http/peerProgram.ts')
  const database = JSON.stringify({ host, port, user, database: 'peer' })
  const child = spawn(process.execPath, [entry, database], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [ready] = (await once(child.stdout, 'data')) as [Buffer]
  const [bare, koa] = String(ready)
    .match(/\d+/g)!
    .map((port) => `http://127.0.0.1:${port}`) as [string, string]
  return { 'node:http': bare, Koa: koa, pid: child.pid!, stop: () => child.kill() }
}
type Peers = Awaited<ReturnType<typeof startPeers>>

/** Opens connections, each of which sends the requests of one user, and of another one after all tasks are cancelled. */
async function clientsOf(url: string, cookies: readonly string[], connections: number) {
  const open = await Promise.all(Array.from({ length: connections }, () => connection(url)))
  let turn = 0
  const ask = async (client: number, path: string, text?: string): Promise<string> => {
    const headers = {
      cookie: cookies[(turn * connections + client) % cookies.length]!,
      'content-type': 'application/json',
    }
    const { status, body } = await (open[client] as Connection).ask('POST', `/api/v1/videos/${path}`, headers, text)
    if (status !== 202) throw new Error(`${url}: ${status} ${body}`)
    return body
  }
  let answers: string[][] = open.map(() => [])
  return {
    generate: async (client: number) => void answers[client]!.push(await ask(client, 'generate', BODY)),
    /** Cancels all tasks, so that users have no more open ones than a second brings. Plans allow seven at most. */
    async cancelAll() {
      const ended = answers
      answers = open.map(() => [])
      await Promise.all(
        ended.map(async (own, client) => {
          for (const answer of own) await ask(client, `tasks/${JSON.parse(answer).task.id}/cancel`)
        }),
      )
      turn++
    },
    close() {
      for (const one of open) one.close()
    },
  }
}

/** Waits until the processes have finished what the last requests set off, or until the time for it is up. */
async function rest(pids: readonly number[]): Promise<void> {
  const cpu = () => pids.reduce((sum, pid) => sum + cpuTime(pid), 0)
  const begun = performance.now()
  for (let before = cpu(); performance.now() - begun < MAX_REST_MS; before = cpu()) {
    await delay(200)
    if (cpu() - before < 40) return
  }
}

/** Compares the roles with the peers, and records the ratio at 64 connections. */
async function compare(id: string, what: string, roles: readonly string[], peers: Peers): Promise<void> {
  const programs = await startKinora(id, roles)
  try {
    const [{ url }] = programs as [Program]
    const cookies: string[] = []
    for (let n = 0; n < USERS; n++) cookies.push((await registerUser(url)).cookie)
    const pids = [...programs.map(({ pid }) => pid), server.pid]
    const cpu = (all: readonly number[]) => () => all.reduce((sum, pid) => sum + cpuTime(pid), 0)
    for (const connections of CONNECTIONS) {
      const ours = await clientsOf(url, cookies, connections)
      const clear = () => ours.cancelAll().then(() => rest(pids))
      const side = { work: ours.generate, cpu: cpu(pids), rest: () => rest(pids), clear }
      for (const name of id === 'http_embedded' ? (['node:http', 'Koa'] as const) : (['node:http'] as const)) {
        const theirs = await clientsOf(peers[name], ['1'], connections)
        const peer = { work: theirs.generate, cpu: cpu([peers.pid, server.pid]) }
        const ratio = await compareRates(`generate, ${what}, beside ${name}`, connections, side, peer)
        if (name === 'node:http' && connections === 64) record(id, ratio)
        theirs.close()
      }
      ours.close()
    }
  } finally {
    await Promise.all(programs.map((program) => program.kill()))
  }
}

const peers = await startPeers()
try {
  await compare('http_embedded', 'all roles in one process', ['api,projections,workflows'], peers)
  await compare('http_api', 'the API alone', ['api', 'projections,workflows'], peers)
} finally {
  peers.stop()
  await root.end()
  await server.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}
