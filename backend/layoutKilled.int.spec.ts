import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PROJECTIONS } from '#projections/all.ts'
import { findTemporal } from '#workflows/testing/temporalServer.ts'
import { runAudit } from './audit.ts'
import { type CreditAccountCommand, creditAccount } from './credits/creditAccount.ts'
import { createEventStoreDb } from './eventsourcing/eventStoreDb.ts'
import { createHandle } from './eventsourcing/handle.ts'
import { uuid7 } from './eventsourcing/uuid7.ts'
import { TASK_STATUSES, type TaskStatus } from './tasks/contract.ts'
import { DOUBLE_KEY, type MinimaxDouble, startMinimaxDouble } from './tasks/minimax/testing/minimaxDouble.ts'
import { type Creator, hasEnded, seenTask, startCreator, submit, untilEnded } from './testing/creator.ts'
import { type ProcessName, type SplitLayout, startSplitLayout } from './testing/splitLayout.ts'
import { registerUser, type TestUser } from './testing/testKinora.ts'

const temporal = findTemporal()
const lacking = temporal ? '' : ' (skipped: there is no temporal program, and pip could not install it)'
const PROGRAM = path.join(import.meta.dirname, 'testing/minimaxProgram.ts')
const RAISED = path.join(import.meta.dirname, 'testing/raisedProgram.ts')
const PROCESSES: readonly ProcessName[] = ['api1', 'api2', 'projector', 'standby', 'worker1', 'worker2']
const ROUNDS = process.env.KINORA_FULL === '1' ? 3 : 1
const CREATORS = 4
const GRANTED = 30_000
const FREE = 60
const COST = 30
const TAKE_OVER_MS = 10_000
const SOCKETS_MS = 5_000

describe.skipIf(!temporal)(`two APIs, two projectors and two workers, under load${lacking}`, () => {
  let layout: SplitLayout
  let double: MinimaxDouble
  let canary: TestUser
  let creators: Creator[]

  beforeAll(async () => {
    double = await startMinimaxDouble({ renderMs: 150 })
    const env = { MINIMAX_API_KEY: DOUBLE_KEY, MINIMAX_BASE_URL: double.url }
    layout = await startSplitLayout({ temporal: temporal!, processes: PROCESSES, env, entry: PROGRAM })
    const users = await Promise.all(Array.from({ length: CREATORS + 1 }, () => registerUser(layout.url)))
    await Promise.all(users.map(grant))
    canary = users.pop()!
    creators = users.map((user) => startCreator(layout.url, user))
  }, 180_000)
  afterAll(async () => {
    for (const creator of creators ?? []) creator.leave()
    await layout?.close()
    await double?.close()
  })

  async function grant({ userId }: TestUser): Promise<void> {
    const store = createEventStoreDb({ url: layout.eventStoreUrl })
    const lot = { lotId: uuid7(), source: 'free', amount: GRANTED, expiresAt: null, at: new Date().toISOString() }
    const context = { commandId: uuid7(), actor: 'system', correlationId: userId }
    const command = { type: 'GrantLot', userId, ...lot } as CreditAccountCommand
    await createHandle(store)(creditAccount, userId, command, context)
    await store.close()
  }

  /** Milliseconds until all sockets stand that were lost by something. */
  async function socketsBack(since: number): Promise<number> {
    await delay(100)
    await vi.waitFor(() => expect(creators.every(({ connected }) => connected)).toBe(true), 60_000)
    return Date.now() - since
  }

  /** Milliseconds until what was under way has ended, and a new video was made. */
  async function takenOver(since: number): Promise<number> {
    const fresh = submit(canary, `canary ${since}`)
    const underWay = creators.flatMap(({ user, accepted }) => accepted.slice(-1).map((id) => untilEnded(user, id)))
    await Promise.all([...underWay, fresh.then((id) => untilEnded(canary, id))])
    return Date.now() - since
  }

  const lost = () => creators.reduce((sum, { losses }) => sum + losses, 0)

  async function measure(what: string, fault: () => Promise<unknown>): Promise<void> {
    const before = lost()
    await fault()
    const since = Date.now()
    const [work, sockets] = await Promise.all([takenOver(since), socketsBack(since)])
    console.log(`${what}: work goes on after ${work} ms; ${lost() - before} sockets lost, all back after ${sockets} ms`)
    expect(work).toBeLessThan(TAKE_OVER_MS)
    expect(sockets).toBeLessThan(SOCKETS_MS)
  }

  it('go on within seconds, whichever of them is killed', { timeout: 300_000 }, async () => {
    await socketsBack(Date.now())
    for (let round = 0; round < ROUNDS; round++)
      for (const name of PROCESSES) {
        await measure(`${name} killed`, () => layout.kill(name))
        await layout.start(name)
      }
    // Once the first API was gone, all sockets stood at the second.
    expect(lost()).toBeGreaterThanOrEqual(CREATORS)
  })

  it('go on when Postgres, the event store’s connections and Temporal are gone for a moment', {
    timeout: 300_000,
  }, async () => {
    await measure('Postgres restarted', () => layout.postgres.restart())
    await measure('connections to the event store cut', async () => layout.network.cut())
    await measure('Temporal killed and started again', async () => {
      await layout.temporal.stop('SIGKILL')
      await layout.temporal.start()
    })
  })

  it('have lost nothing that was accepted, and charged nothing twice', { timeout: 180_000 }, async () => {
    await Promise.all(creators.map((creator) => creator.rest()))
    let failed = 0
    for (const { user, accepted } of creators) {
      const tasks = await Promise.all(accepted.map((id) => seenTask(user, id)))
      expect(tasks.filter((task) => !hasEnded(task))).toEqual([])
      const { total } = (await (await user.call('GET', '/videos/tasks')).json()) as { total: number }
      expect(total).toBe(accepted.length)
      failed += tasks.filter(({ status }) => status === 'Fail').length
      for (const task of tasks) expect(task.credits_consumed).toBe(task.status === 'Success' ? COST : 0)
      const spent = tasks.reduce((sum, task) => sum + task.credits_consumed, 0)
      const left = GRANTED + FREE - spent
      await vi.waitFor(async () => {
        const stats = await (await user.call('GET', '/subscriptions/stats')).json()
        expect(stats).toMatchObject({ used_credits: spent, remaining_credits: left })
      }, 15_000)
    }
    const prompts = [...double.jobs.values()].map(({ body }) => body.prompt)
    expect(new Set(prompts).size).toBe(prompts.length)
    const complaints: string[] = []
    const env = { DATABASE_URL: layout.databaseUrl, EVENTSTORE_URL: layout.eventStoreUrl }
    const complain = (text: string) => void complaints.push(text)
    expect([await runAudit(['verify'], { env, print: complain, complain }), complaints]).toEqual([0, expect.anything()])
    console.log(`${prompts.length} videos made, ${failed} tasks failed and were paid back`)
  })

  it('answer while every read model is built anew beside them, and never go back in time', {
    timeout: 180_000,
  }, async () => {
    await layout.kill('standby')
    creators = creators.map(({ user, leave }) => {
      leave()
      return startCreator(layout.url, user)
    })
    const reading = new AbortController()
    const readers = creators.map(({ user }) => readWhile(user, reading.signal))
    const versions = async () => {
      const { rows } = await layout.postgres.pool.query<{ name: string; version: number }>(
        'select name, version from projection_checkpoint',
      )
      return Object.fromEntries(rows.map(({ name, version }) => [name, version]))
    }
    await layout.start('standby', RAISED)
    const raised = Object.fromEntries(PROJECTIONS.map(({ name, version }) => [name, version + 1]))
    await vi.waitFor(async () => expect(await versions()).toEqual(raised), { timeout: 60_000, interval: 100 })
    await takenOver(Date.now())
    reading.abort()
    await Promise.all(creators.map((creator) => creator.rest()))
    const looks = (await Promise.all(readers)).reduce((sum, count) => sum + count, 0)
    console.log(`${looks} looks while ${PROJECTIONS.length} read models were built anew`)
    expect(looks).toBeGreaterThan(20)
  })
})

/** Reads a user's tasks and credits until `signal` aborts. @returns how often @throws a read failed or told of the past */
async function readWhile(user: TestUser, signal: AbortSignal): Promise<number> {
  const known = new Map<string, number>()
  let [looks, tasks, used] = [0, 0, 0]
  for (; !signal.aborted; looks++) {
    const answers = await Promise.all([user.call('GET', '/videos/tasks'), user.call('GET', '/subscriptions/stats')])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const list = (await answers[0].json()) as { total: number; tasks: { id: string; status: TaskStatus }[] }
    const stats = (await answers[1].json()) as { used_credits: number }
    expect(list.total).toBeGreaterThanOrEqual(tasks)
    expect(stats.used_credits).toBeGreaterThanOrEqual(used)
    ;[tasks, used] = [list.total, stats.used_credits]
    for (const { id, status } of list.tasks) {
      expect([id, TASK_STATUSES.indexOf(status)]).toEqual([
        id,
        expect.toSatisfy((now: number) => now >= (known.get(id) ?? 0)),
      ])
      known.set(id, TASK_STATUSES.indexOf(status))
    }
  }
  return looks
}
