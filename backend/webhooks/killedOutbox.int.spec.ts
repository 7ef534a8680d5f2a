import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { AppendOutcomeUnknown, type EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { chainStart, eventHash } from '../kernel/eventsourcing/pure/eventHash.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { anOrder } from '../tasks/testing/anOrder.ts'
import { eventually } from '../testing/eventually.ts'
import { freePort } from '../testing/freePort.ts'
import { FULL, SEED } from '../testing/fullRun.ts'
import { type Program, startProgram } from '../testing/program.ts'
import { seeded } from '../testing/seeded.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { registerUser } from '../testing/testUser.ts'
import type { WebhookEndpoint } from './contract.ts'
import { answering, startReceiverDouble } from './testing/receiverDouble.ts'

/** Moments of the kills, and which processes they hit. */
const random = seeded(SEED)
const EVENTS = FULL ? 1_000 : 90
const KILLS = FULL ? 10 : 3
const SLOW_MS = 10_000
/** Among the indices of processes. */
const POSTGRES = 2

let db: TemporaryDatabase | undefined
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-outbox-'))
const programs: Program[] = []
const receivers: Awaited<ReturnType<typeof startReceiverDouble>>[] = []
afterAll(async () => {
  await Promise.all(programs.map((program) => program.kill()))
  for (const receiver of receivers) receiver.close()
  await db?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function start(databaseUrl: string, port: number): Promise<Program> {
  const secrets = { SESSION_SECRET: 's'.repeat(32), ENCRYPTION_KEY: 'ab'.repeat(32), OPERATOR_PASSWORD: 'one for all' }
  const shared = { ...secrets, DATABASE_URL: databaseUrl, DATA_DIR: folder, WEBHOOK_PRIVATE_HOSTS: 'localhost' }
  return startProgram({ ...shared, PORT: String(port), PUBLIC_URL: 'http://localhost:1' })
}

async function killPostgres({ postgres: { server } }: TemporaryDatabase): Promise<void> {
  process.kill(server.pid, 'SIGKILL')
  await server.exited
}

/** Appends again with the same ids until it is known that the events are stored. */
async function persist(store: EventStore, ...append: Parameters<EventStore['append']>): Promise<void> {
  for (;;) {
    try {
      return void (await store.append(...append))
    } catch (error) {
      if (!(error instanceof AppendOutcomeUnknown)) throw error
    }
  }
}

it(`loses no webhook of ${EVENTS} while each process is killed, PostgreSQL included, and a slow endpoint delays no other`, {
  timeout: 900_000,
}, async () => {
  db = await startTemporaryDatabase()
  const { store, pool, url } = db
  const ports = [await freePort(), await freePort()] as const
  programs.push(...(await Promise.all(ports.map((port) => start(url, port)))))
  const user = await registerUser(`http://localhost:${ports[0]}`)
  const [good, failing, slow] = await Promise.all([startReceiverDouble(), startReceiverDouble(), startReceiverDouble()])
  receivers.push(good, failing, slow)
  failing.answer = answering(500)
  slow.answer = async (response) => {
    await delay(SLOW_MS, undefined, { ref: false })
    response.writeHead(200).end()
  }
  const ids: string[] = []
  for (const { url } of receivers) {
    const made = await user.call('POST', '/webhook_endpoints', { name: url, url, event_types: ['video.failed'] })
    ids.push(((await made.json()) as WebhookEndpoint).id)
  }

  const tasks = new Map<string, number>()
  const append = async () => {
    const taskId = uuid7()
    const about = { taskId, userId: user.userId, at: new Date().toISOString() }
    const order = { ...anOrder(), ...about }
    const failed = { ...about, code: 'provider_failed', detail: 'why', jobId: null }
    const stream = `videoTask-${taskId}`
    const first = { id: uuid7(), type: 'VideoTaskSubmitted', data: order, meta: { previousHash: chainStart(stream) } }
    const meta = { previousHash: eventHash({ stream, revision: 0, ...first }) }
    await persist(store, stream, 'no_stream', [first, { id: uuid7(), type: 'VideoTaskFailed', data: failed, meta }])
    tasks.set(taskId, Date.now())
  }
  const appendShare = async () => {
    for (let n = 0; n < EVENTS / KILLS; n++) {
      await append()
      if (n % 5 === 0) await delay(random() * 400)
    }
  }
  let victims: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const appended = appendShare()
    await delay(random() * 1_500)
    // Two processes of Kinora, then PostgreSQL, in another order each time; every third time all of them.
    if (victims.length === 0) victims = [0, 1, POSTGRES].toSorted(() => random() - 0.5)
    const killed = kill % 3 === 2 ? [0, 1, POSTGRES] : [victims.pop()!]
    await Promise.all(killed.map((n) => (n === POSTGRES ? killPostgres(db!) : programs[n]!.kill())))
    if (killed.includes(POSTGRES)) await db.postgres.restart()
    for (const n of killed.filter((n) => n !== POSTGRES)) programs[n] = await start(url, ports[n]!)
    await appended
  }

  const taskOf = (body: string) => (JSON.parse(body) as { data: { id: string } }).data.id
  await eventually(() => expect(new Set(good.received.map(({ body }) => taskOf(body)))).toEqual(new Set(tasks.keys())))
  const { rows } = await pool.query<{ target: string; count: number }>(
    `select target, count(*)::int from outbox where channel = 'webhook' group by target`,
  )
  expect(new Map(rows.map(({ target, count }) => [target, count]))).toEqual(new Map(ids.map((id) => [id, EVENTS])))
  // One id for each event, whatever the attempt and the process.
  for (const { received } of receivers) {
    const seen = new Map<string, Set<string>>()
    for (const { body, headers } of received)
      seen.set(taskOf(body), (seen.get(taskOf(body)) ?? new Set()).add(headers['webhook-id']))
    expect([...seen.values()].filter(({ size }) => size !== 1)).toEqual([])
  }
  expect(failing.received.length).toBeGreaterThan(0)

  const waits = [...tasks].map(([id, since]) =>
    Math.max(0, good.received.find(({ body }) => taskOf(body) === id)!.at - since),
  )
  const sorted = waits.toSorted((a, b) => a - b)
  const percentile = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]!
  const repeated = good.received.length - EVENTS
  console.log(
    `${EVENTS} webhooks, ${KILLS} kills: median ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, ${repeated} sent twice`,
  )
  if (FULL) expect(percentile(1)).toBeLessThan(60_000)
})
