import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type * as z from 'zod/mini'
import { videoTasks } from '#projections/tasks/videoTask.ts'
import { taskEvents } from '#projections/testing/taskEvents.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { freePort } from '../testing/freePort.ts'
import { FULL, SLACK } from '../testing/fullRun.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import type { Queue, Task } from './contract.ts'
import type { RenderLaneEvent } from './events.ts'

const REBUILT_EVENTS = FULL ? 100_000 : 5_000

let db: TemporaryDatabase
let shared: Record<string, string>
let api: TestKinora
let projector: TestKinora

let users: TestUser[]

const startProjector = async (roles = 'projections') => {
  projector = await startTestKinora({ env: { ...shared, ROLES: roles, PORT: '0' } })
}
const stopProjector = () => projector.close({ keep: true })

beforeAll(async () => {
  db = await startTemporaryDatabase()
  const port = await freePort()
  shared = {
    DATABASE_URL: db.url,
    PUBLIC_URL: `http://localhost:${port}`,
    SESSION_SECRET: 's'.repeat(32),
    ENCRYPTION_KEY: 'ab'.repeat(32),
    DATA_DIR: `${db.postgres.dataDir}-kinora`,
  }
  const starting = startTestKinora({ env: { ...shared, ROLES: 'api', PORT: String(port) } })
  // Registration needs workflows, which deliver the mails.
  await startProjector('projections,workflows')
  api = await starting
  users = await Promise.all(Array.from({ length: 7 }, () => api.newUser()))
  await stopProjector()
  await startProjector()
})
afterAll(async () => {
  await api?.close({ keep: true })
  await projector?.close().catch(() => {})
  await db.close()
})

/** Locks the checkpoint of the tasks' read model, which stops its batches and the swap at the end of a rebuild. */
async function blockProjector() {
  const blocker = await db.pool.connect()
  await blocker.query('begin')
  await blocker.query('select 1 from projection_checkpoint where name = $1 for update', [videoTasks.name])
  return async () => {
    await blocker.query('commit')
    blocker.release()
  }
}

const json = async <T>(response: Promise<Response>) => (await response).json() as Promise<T>
const submit = async (user: TestUser, headers: Record<string, string> = {}) => {
  const answer = await user.call('POST', '/videos/generate', GENERATION, headers)
  return { status: answer.status, task: answer.ok ? ((await answer.json()) as { task: Task }).task : undefined }
}
const listed = async (user: TestUser) =>
  (await json<{ tasks: Task[] }>(user.call('GET', '/videos/tasks'))).tasks.map(({ id }) => id)

describe('without a running projector', () => {
  it('accepts tasks, repeats them by key, reads them and cancels them', async () => {
    const user = users[0]!
    await stopProjector()
    const began = performance.now()
    const key = { 'idempotency-key': 'once' }
    const { status, task } = await submit(user, key)
    expect([status, task]).toMatchObject([202, { ...GENERATION, status: 'Preparing', credits_consumed: 30 }])
    expect(performance.now() - began).toBeLessThan(800 * SLACK)
    const repeated = await submit(user, key)
    expect([repeated.status, repeated.task?.id]).toEqual([202, task!.id])
    const other = await submit(user)
    expect(other.status).toBe(202)

    const asked = await Array.fromAsync(db.store.readStream<RenderLaneEvent>(`renderLane-${user.userId}`))
    expect(asked.map(({ type, data }) => [type, data.taskId])).toEqual([
      ['RenderSlotAsked', task!.id],
      ['RenderSlotAsked', other.task!.id],
    ])

    const path = `/videos/tasks/${other.task!.id}`
    expect(await json(user.call('GET', path))).toMatchObject({ id: other.task!.id, prompt: GENERATION.prompt })
    expect((await user.call('GET', `/videos/tasks/${uuid7()}`)).status).toBe(404)
    expect((await user.call('DELETE', path)).status).toBe(204)
    expect([(await user.call('GET', path)).status, (await user.call('DELETE', path)).status]).toEqual([404, 404])
    expect(await listed(user)).toEqual([])
    await startProjector()
    expect(await listed(user)).toEqual([task!.id])
    expect(await json(user.call('GET', '/subscriptions/stats'))).toMatchObject({ remaining_credits: 30 })
    // No workflow starts it, so the estimate grows with the time that it has waited.
    await db.pool.query(`update open_task set unstarted_since = unstarted_since - interval '10 minutes'`)
    const { tasks } = await json<z.input<typeof Queue>>(user.call('GET', '/videos/queue'))
    expect([tasks.length, tasks[0]!.seconds_left >= 600]).toEqual([1, true])
  })
})

describe('while the read model is rebuilt', () => {
  it(`accepts every task during a rebuild of ${REBUILT_EVENTS} events, and shows each one after it`, {
    timeout: 600_000,
  }, async () => {
    const submitters = users.slice(2)
    await stopProjector()
    const event = taskEvents(uuid7(), uuid7()).queued
    for (let left = REBUILT_EVENTS; left > 0; left -= 1_000) {
      const events = Array.from({ length: 1_000 }, () => ({ id: uuid7(), ...event }))
      await db.store.append(`videoTask-${uuid7()}`, 'no_stream', events)
    }
    await db.pool.query('update projection_checkpoint set version = version - 1 where name = $1', [videoTasks.name])
    const unblock = await blockProjector()
    const started = startProjector()
    const accepted: { user: TestUser; id: string | undefined }[] = []
    const statuses = new Set<number>()
    for (const user of [...submitters, ...submitters]) {
      const { status, task } = await submit(user)
      statuses.add(status)
      accepted.push({ user, id: task?.id })
    }
    await unblock()
    await started
    // A process serves before a long rebuild ends.
    const checkpoint = 'select version from projection_checkpoint where name = $1'
    const rebuilt = async () =>
      expect((await db.pool.query(checkpoint, [videoTasks.name])).rows).toEqual([{ version: videoTasks.version }])
    await vi.waitFor(rebuilt, { timeout: 600_000, interval: 50 })
    expect([...statuses]).toEqual([202])
    const began = performance.now()
    for (const { user, id } of accepted) expect(await listed(user)).toContain(id)
    expect(performance.now() - began).toBeLessThan(1_500 * SLACK)
  })
})

describe('a user who has just submitted a task', () => {
  it('sees it in the next list, while the projector is busy', async () => {
    const user = users[1]!
    const unblock = await blockProjector()
    setTimeout(unblock, 700)
    const began = performance.now()
    const { task } = await submit(user)
    expect(performance.now() - began).toBeLessThan(500 * SLACK)
    expect(await listed(user)).toEqual([task!.id])
  })
})
