import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { createProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import { startTestKinora } from '#backend/testing/testKinora.ts'
import { GENERATION } from '#backend/testing/testUser.ts'
import { cpuTime, parentOf } from './analytics/cpuTime.ts'
import { countStatements, type Statements } from './statements/countStatements.ts'
import { record } from './table/record.ts'

/**
 * Counts the SQL statements of one video, from the click until its credits are captured, with all roles in one process:
 * `npm run bench -- statementsPerVideo [videos] [in flight]`. A provider double is finished immediately. Prints the
 * most frequent statements.
 */
/** Enough that most of them run compiled code: the first twenty need 36 ms of CPU, later ones 25. */
const videos = Number(process.argv[2] ?? 200)
const inFlight = Number(process.argv[3] ?? 12)
const SHOWN = 40
const IDLE_MS = 5_000
/** Pause after a video, so that it shares no statement with the next one. */
const REST_MS = 100

const statements = countStatements()
/** Threads that sign videos. Their CPU time is not counted; `npm run bench -- signing` measures it. */
const signing: Worker[] = []
process.on('worker', (thread) => signing.push(thread))
const usedBy = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000

/** Returns the CPU time of Node so far without signing, ms. */
async function nodeTime(): Promise<number> {
  const threads = await Promise.all(signing.map((thread) => thread.cpuUsage().catch(() => undefined)))
  return usedBy(process.cpuUsage()) - threads.reduce((sum, used) => sum + (used ? usedBy(used) : 0), 0)
}

const kinora = await startTestKinora({ provider: await createProviderDouble() })
const { pool, changes } = kinora.context
const { rows: backends } = await pool.query('select pg_backend_pid() as pid')
const postmaster = parentOf(backends[0].pid)
const creators = await Promise.all(Array.from({ length: inFlight }, () => kinora.newUser()))
for (const { userId: id } of creators)
  await kinora.services.credits.adjust(
    id,
    { adjustmentId: id, amount: 1_000_000, reason: 'bench' },
    { commandId: id, actor: 'system', correlationId: id },
  )

/** Videos whose workflows have not ended, by task. */
const open = new Map<string, PromiseWithResolvers<void>>()
const endOf = (taskId: string) => open.get(taskId) ?? open.set(taskId, Promise.withResolvers()).get(taskId)!

/** Makes a video and waits until its workflow has released the slot. */
async function makeVideo(creator: (typeof creators)[number]): Promise<void> {
  const response = await creator.call('POST', '/videos/generate', GENERATION)
  const { task } = (await response.json()) as { task: { id: string } }
  await endOf(task.id).promise
  open.delete(task.id)
}

/** Follows the log, which costs less than asking for each video. */
async function followSlots(signal: AbortSignal): Promise<void> {
  const { store } = kinora.context
  for await (const { events } of store.subscribeAll({
    from: await store.head(),
    streamPrefixes: ['renderLane-'],
    signal,
  }))
    for (const { type, data } of events)
      if (type === 'RenderSlotReleased') endOf((data as { taskId: string }).taskId).resolve()
}

const total = (counted: Statements) => [...counted.values()].reduce((sum, count) => sum + count, 0)
const each = (count: number) => (count / videos).toFixed(1)

/** Counts the statements per second of an idle installation: leases, liveness and the payment sandbox. */
async function measureIdle(): Promise<number> {
  const began = performance.now()
  statements.take()
  await delay(IDLE_MS)
  return (total(statements.take()) / (performance.now() - began)) * 1_000
}

interface Cost {
  readonly statements: number
  /** CPU time in Node and in PostgreSQL, ms. Excludes ffmpeg and the signature of the video. */
  readonly cpu: number
}

async function measure(name: string, work: () => Promise<unknown>, idlePerSecond: number): Promise<Cost> {
  statements.take()
  const [began, before, postgresBefore] = [performance.now(), await nodeTime(), cpuTime(postmaster)]
  await work()
  await changes.waitFor(['videoTasks', 'creditBalances'], await kinora.context.store.head(), 10_000)
  const idle = ((performance.now() - began) / 1_000) * idlePerSecond
  const counted = statements.take()
  const [node, postgres] = [(await nodeTime()) - before, cpuTime(postmaster) - postgresBefore]
  console.log(
    `${name}, each video: ${each(total(counted) - idle)} statements, besides ${each(idle)} of idle loops; CPU ${each(node)} ms in Node and ${each(postgres)} ms in PostgreSQL`,
  )
  for (const [text, count] of [...counted].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN))
    console.log(each(count).padStart(7), text)
  return { statements: (total(counted) - idle) / videos, cpu: (node + postgres) / videos }
}

const over = new AbortController()
const following = followSlots(over.signal)
for (const creator of creators) await makeVideo(creator)
const idle = await measureIdle()
const serial = await measure(
  'one by one',
  async () => {
    for (let n = 0; n < videos; n++) {
      await makeVideo(creators[0]!)
      await delay(REST_MS)
    }
  },
  idle,
)
const parallel = await measure(
  `${inFlight} in flight`,
  async () => {
    let left = videos
    const work = async (creator: (typeof creators)[number]) => {
      while (left-- > 0) await makeVideo(creator)
    }
    await Promise.all(creators.map(work))
  },
  idle,
)
record('statements_per_video', serial.statements)
record('cpu_per_video', parallel.cpu)
over.abort()
await following
await kinora.close()
statements.stop()
