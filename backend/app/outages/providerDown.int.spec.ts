import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { CreditAccountCommand } from '../../credits/commands.ts'
import { creditAccount } from '../../credits/creditAccount.decider.ts'
import { createHandle } from '../../kernel/eventsourcing/handle.ts'
import { createPostgresEventStore } from '../../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { probeMp4 } from '../../kernel/media/probeMp4.ts'
import { connectDatabase } from '../../kernel/postgres/connect.ts'
import { openPool } from '../../kernel/postgres/openPool.ts'
import {
  DOUBLE_KEY,
  type MinimaxDouble,
  startMinimaxDouble,
} from '../../providers/video/minimax/testing/minimaxDouble.ts'
import { submit } from '../../testing/creator.ts'
import { freePort } from '../../testing/freePort.ts'
import { FULL } from '../../testing/fullRun.ts'
import { type Program, startProgram } from '../../testing/program.ts'
import { replayLedger } from '../../testing/replayLedger.ts'
import { sampled } from '../../testing/sampled.ts'
import { registerUser, type TestUser } from '../../testing/testUser.ts'

const TASKS = FULL ? 100 : 14
const BEFORE_OUTAGE = FULL ? 20 : 8
/** Calls without an answer: those in progress when the outage begins or the program is killed, and later probes. */
const MAX_LOST = FULL ? 25 : 6
const FREE_CREDITS = 60
const MINUTE = 60_000
const PROGRAM = path.join(import.meta.dirname, '../../testing/minimaxProgram.ts')

type Task = { id: string; prompt: string; status: string; credits_consumed: number; error_code: string | null }
const tasksOf = async (user: TestUser) =>
  ((await (await user.call('GET', '/videos/tasks?per_page=100')).json()) as { tasks: Task[] }).tasks

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-down-'))
const clock = path.join(folder, 'moved')
let double: MinimaxDouble
let env: Record<string, string>
let program: Program
let users: TestUser[]
/** Credits granted to each user so far, and tasks that have ended. */
let granted = FREE_CREDITS
const ended: Task[] = []

beforeAll(async () => {
  // Its limit is stricter than the adapter's: one call too many is rejected.
  double = await startMinimaxDouble({ renderMs: 150, perWindow: 20, windowMs: 500 })
  const provider = { MINIMAX_API_KEY: DOUBLE_KEY, MINIMAX_BASE_URL: double.url }
  env = { ...provider, DATA_DIR: folder, LOG_LEVEL: 'silent', PORT: String(await freePort()), MOVED_MS_FILE: clock }
  program = await startProgram(env, PROGRAM)
  const names = Array.from({ length: TASKS / 2 }, (_, n) => `down-${n}@kinora.test`)
  users = await Promise.all(names.map((name) => registerUser(program.url, name)))
}, 600_000)
afterAll(async () => {
  await program?.kill()
  await double.close()
  await delay(300)
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
})
afterEach(async () => {
  double.fault = () => undefined
  await program.kill()
  await expectSoundLedger()
  program = await startProgram(env, PROGRAM)
})

/** Kills the program, like `kill -9`, and restarts it. */
async function killAndRestart(): Promise<void> {
  await program.kill()
  program = await startProgram(env, PROGRAM)
}

/** Submits tasks with unique prompts. Repeats each request until it is accepted. */
const submitAll = (name: string, from: number, to: number) =>
  Promise.all(
    Array.from({ length: to - from }, (_, n) => submit(users[(from + n) % users.length]!, `${name} ${from + n}`)),
  )

/** Expects that a file is a complete video of the provider. Marking has added data to it. @throws UnplayableVideoError */
async function expectWhole(content: Buffer): Promise<void> {
  const file = path.join(folder, 'received.mp4')
  writeFileSync(file, content)
  const received = await shapeOf(file)
  writeFileSync(file, double.video)
  expect(received).toEqual(await shapeOf(file))
}

const shapeOf = async (file: string) => {
  const { size: _, ...shape } = await probeMp4(file)
  return shape
}

/** Waits until every task of this name has ended. Expects that each was charged or refunded, and that its video is complete. */
async function settled(name: string): Promise<Task[]> {
  const tasks: Task[] = []
  for (const user of users) {
    let mine: Task[]
    for (;;) {
      mine = (await tasksOf(user)).filter(({ prompt }) => prompt.startsWith(name))
      if (mine.every(({ status }) => /Success|Fail/.test(status))) break
      await delay(100)
    }
    for (const { id, status, credits_consumed } of mine) {
      expect(credits_consumed).toBe(status === 'Success' ? 30 : 0)
      const video = await user.call('GET', `/videos/preview/${id}`)
      expect(video.status).toBe(status === 'Success' ? 200 : 404)
      if (status === 'Success') await expectWhole(Buffer.from(await video.arrayBuffer()))
    }
    tasks.push(...mine)
  }
  ended.push(...tasks)
  return tasks
}

/**
 * Expects that the captured credits are the price of the videos, that none are held, and that no video was created twice.
 * Then grants credits for the next test.
 */
async function expectSoundLedger(): Promise<void> {
  const prompts = [...double.jobs.values()].map(({ body }) => body.prompt)
  expect(new Set(prompts).size).toBe(prompts.length)
  const { connection, stop } = await connectDatabase({ databaseUrl: undefined, dataDir: folder }, () => {})
  const pool = openPool(connection)
  const accounts = await replayLedger(pool)
  const store = createPostgresEventStore(pool)
  const at = new Date().toISOString()
  for (const { userId } of users) {
    const grant = {
      type: 'GrantLot',
      userId,
      lotId: uuid7(),
      source: 'free',
      amount: FREE_CREDITS,
      expiresAt: null,
      at,
    }
    const context = { commandId: uuid7(), actor: 'system', correlationId: userId }
    await createHandle(store)(creditAccount, userId, grant as CreditAccountCommand, context)
  }
  await store.close()
  await pool.end()
  await stop()
  const captured = accounts.reduce((sum, account) => sum + account.captured, 0)
  expect([accounts.length, captured]).toEqual([users.length, 30 * ended.filter(isSuccess).length])
  for (const account of accounts)
    expect(account).toMatchObject({ granted, held: 0, left: granted - account.captured, chained: true })
  granted += FREE_CREDITS
}

const isSuccess = ({ status }: Task) => status === 'Success'

const back = async () => {
  double.fault = () => undefined
}
/** Starts an outage by its name. Returns a function that ends it. */
const OUTAGES: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  'refuses connections': async () => {
    await double.goAway()
    return () => double.comeBack()
  },
  'responds that it is overloaded': async () => {
    double.fault = (call) => (call === 'file' ? { status: 503 } : { code: 1002 })
    return back
  },
  'never answers': async () => {
    double.fault = () => 'hang'
    return back
  },
}

describe('a provider that is down for ten minutes', () => {
  it.each(
    sampled([
      ['refuses connections', TASKS, true],
      ['responds that it is overloaded', TASKS, false],
      ['never answers', TASKS, false],
    ] as const),
  )(
    'and %s: loses none of %i tasks and charges none without a video (Kinora killed: %j)',
    {
      timeout: 600_000,
    },
    async (how, count, killed) => {
      const name = `${how}:`
      await submitAll(name, 0, BEFORE_OUTAGE)
      const comeBack = await OUTAGES[how]!()
      const before = double.jobs.size
      const submitting = submitAll(name, BEFORE_OUTAGE, count)
      for (let minute = 1; minute <= 10; minute++) {
        writeFileSync(clock, String(minute * MINUTE))
        if (killed && minute === 5) await killAndRestart()
        await delay(200)
      }
      await submitting
      expect(double.jobs.size).toBe(before)
      await comeBack()
      const tasks = await settled(name)
      const failed = tasks.filter(({ status }) => status === 'Fail')
      console.log(`${name} ${tasks.length} tasks, ${failed.length} refunded`)
      expect(tasks).toHaveLength(count)
      // A `create` call without an answer, or in flight when the program was killed, must not be retried.
      expect(failed.every(({ error_code }) => error_code === 'answer_lost')).toBe(true)
      expect(failed.length).toBeLessThanOrEqual(killed || how === 'never answers' ? MAX_LOST : 0)
    },
  )
})

describe('a program that is killed during a create call', () => {
  it('sends one request per task to the provider and refunds the credits', async () => {
    double.reached.length = 0
    double.fault = (call) => (call === 'create' ? 'done, then hang' : undefined)
    await submitAll('killed', 0, 4)
    await expect.poll(() => double.reached.length).toBe(4)
    await killAndRestart()
    double.fault = () => undefined
    await submitAll('killed', 4, 8)
    // Until then, an answer may still arrive.
    writeFileSync(clock, String(12 * MINUTE))
    const tasks = await settled('killed')
    const lost = tasks.filter(({ error_code }) => error_code === 'answer_lost').map(({ prompt }) => prompt)
    expect(lost.toSorted()).toEqual(['killed 0', 'killed 1', 'killed 2', 'killed 3'])
    expect(tasks.filter(isSuccess)).toHaveLength(4)
    const each = Array.from({ length: 8 }, (_, n) => `killed ${n}`)
    expect(double.reached.map(({ prompt }) => prompt).toSorted()).toEqual(each)
  })
})
