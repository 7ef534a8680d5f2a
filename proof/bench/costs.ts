import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { projectLedger } from '#backend/audit/testing/projectLedger.ts'
import { createCredits } from '#backend/credits/credits.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { createProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import { startProgram } from '#backend/testing/program.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { startTestKinora } from '#backend/testing/testKinora.ts'
import { GENERATION } from '#backend/testing/testUser.ts'
import { cpuTime } from './analytics/cpuTime.ts'

/**
 * Measures the cost of a command, an event, a row and a socket: `npm run bench -- costs [accounts] [sockets]`. Kinora,
 * PostgreSQL and the client share the cores of this machine, so CPU time per operation is more meaningful than
 * throughput. The temporary database does not flush to disk; a real one shares each flush among concurrent commits.
 */
const accounts = Number(process.argv[2] ?? 2_000)
const sockets = Number(process.argv[3] ?? 2_000)
const LANES = 64

interface Cost {
  readonly seconds: number
  readonly node: number
  readonly postgres: number
}

/** Measures the wall-clock and CPU time of `work`. @param postmaster pid of the PostgreSQL server process */
async function costOf(postmaster: number, work: () => Promise<unknown>): Promise<Cost> {
  const [wall, node, postgres] = [performance.now(), process.cpuUsage(), cpuTime(postmaster)]
  await work()
  const { user, system } = process.cpuUsage(node)
  return {
    seconds: (performance.now() - wall) / 1000,
    node: (user + system) / 1e6,
    postgres: (cpuTime(postmaster) - postgres) / 1000,
  }
}

const report = (what: string, count: number, { seconds, node, postgres }: Cost, more = '') =>
  console.log(
    `${what}: ${Math.round(count / seconds)}/s; CPU each ${((node / count) * 1e6).toFixed(0)} µs in Node, ` +
      `${((postgres / count) * 1e6).toFixed(0)} µs in PostgreSQL${more}`,
  )

/** Calls `work` with each number below `count`, {@link LANES} calls at a time. */
async function forEachNumber(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

async function commands(): Promise<void> {
  const db = await startTemporaryDatabase()
  try {
    const { pid } = db.postgres.server
    const credits = createCredits(createHandle(db.store))
    const user = (n: number) => derivedId('user', n)
    const context = (n: number) => ({
      commandId: derivedId('hold', n),
      actor: `user:${user(n)}`,
      correlationId: derivedId('c', n),
    })
    const first = await costOf(pid, () => forEachNumber(accounts, (n) => credits.grantFreeCredits(user(n), 60)))
    report('command on a new stream', accounts, first)
    const hold = (n: number) =>
      credits.hold({ userId: user(n), taskId: derivedId('task', n), amount: 30, openLimit: 2 }, context(n)).send()
    const held = await costOf(pid, () => forEachNumber(accounts, hold))
    report('command on a cached stream', accounts, held)
    await forEachNumber(accounts, (n) => credits.capture(user(n), derivedId('task', n)).send())
    const events = 3 * accounts
    const bytes = async (table: string) =>
      Number((await db.pool.query(`select pg_total_relation_size($1) as size`, [table])).rows[0].size)
    console.log(`event: ${Math.round((await bytes('event')) / events)} bytes on disk with its indexes`)
    const projected = await costOf(pid, () => projectLedger(db.store, db.database))
    const { rows } = await db.pool.query('select count(*)::int as models from projection_checkpoint')
    report(`event folded into ${rows[0].models} read models, one after the other`, events, projected)
    for (const table of ['credit_balance', 'credit_entry', 'chain_head']) {
      const count = Number((await db.pool.query(`select count(*) from ${table}`)).rows[0].count)
      console.log(`row of ${table}: ${Math.round((await bytes(table)) / count)} bytes with its indexes`)
    }
  } finally {
    await db.close()
  }
}

/** Reads the value of a metric from `/metrics`. */
async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1])
}

async function openSockets(): Promise<void> {
  const db = await startTemporaryDatabase()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-costs-'))
  const program = await startProgram({ PORT: '0', DATA_DIR: folder, DATABASE_URL: db.url })
  try {
    const memory = () => readMetric(program.url, 'process_resident_memory_bytes')
    const [before, open] = [await memory(), [] as WebSocket[]]
    await forEachNumber(sockets, async (n) => {
      const [token, owner] = [`token ${n}`, derivedId('socket', n)]
      const hash = createHash('sha256').update(token).digest('hex')
      await db.pool.query(
        `insert into socket_token (hash, user_id, expires_at) values ($1, $2, now() + interval '60 seconds')`,
        [hash, owner],
      )
      const address = `${program.url.replace('http', 'ws')}/api/v1/ws?token=${encodeURIComponent(token)}`
      const socket = new WebSocket(address, { perMessageDeflate: false })
      open.push(socket)
      await new Promise((resolve) => socket.once('open', () => socket.send('ping')).once('message', resolve))
    })
    const bytes = ((await memory()) - before) / sockets
    console.log(`socket: ${(bytes / 1024).toFixed(1)} KiB of the process's memory (${sockets} open)`)
    for (const socket of open) socket.terminate()
  } finally {
    await program.stop()
    await db.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Counts the events of one video, from the request to the captured credits. */
async function video(): Promise<void> {
  const kinora = await startTestKinora({ provider: await createProviderDouble() })
  try {
    const count = async () => Number((await kinora.context.pool.query('select count(*) from event')).rows[0].count)
    const user = await kinora.newUser()
    const before = await count()
    await user.call('POST', '/videos/generate', GENERATION)
    await delay(5_000)
    console.log(`video: ${(await count()) - before} events`)
  } finally {
    await kinora.close()
  }
}

console.log(`${accounts} accounts, ${LANES} in parallel`)
await commands()
await openSockets()
await video()
