import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'
import type { TestUser } from '#backend/testing/testUser.ts'
import { generate, reaches, refunded, remaining, taskOf } from '#workflows/testing/userTasks.ts'
import { DOUBLE_KEY, type Fault, type Job, type MinimaxDouble, startMinimaxDouble } from './testing/minimaxDouble.ts'

let db: TemporaryDatabase
let double: MinimaxDouble
let kinora: TestKinora
let moved = 0
const MINUTE = 60_000
/** Longer than the tests, so that only a callback can trigger a poll. */
const POLL_MS = 120_000

beforeAll(async () => {
  db = await startTemporaryDatabase()
  double = await startMinimaxDouble({ renderMs: 3_600_000 })
  const { socketDir, user, database } = db.postgres.server
  const port = await freePort()
  kinora = await startTestKinora({
    now: () => Date.now() + moved,
    minimax: {
      callbacks: true,
      pollIntervalMs: POLL_MS,
      createTimeoutMs: 5_000,
      initialOpenMs: 50,
      failureThreshold: 100,
    },
    env: {
      DATABASE_URL: `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(socketDir)}`,
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      MINIMAX_API_KEY: DOUBLE_KEY,
      MINIMAX_BASE_URL: double.url,
    },
  })
})
afterAll(async () => {
  await kinora.close()
  await double.close()
  await db.close()
})
beforeEach(() => {
  double.sentCallbacks.length = 0
  double.fault = () => undefined
})

const facts = async (taskId: string) => {
  const types: string[] = []
  for await (const { type } of db.store.readStream(`videoTask-${taskId}`)) types.push(type)
  return types
}
const jobOf = async (taskId: string): Promise<Job> =>
  eventually(() => {
    const job = [...double.jobs.values()].find(({ body }) => body.callback_url!.includes(taskId))
    if (!job) throw new Error('no job yet')
    return job
  })
const begun = async (user: TestUser) => {
  const { id } = await generate(user)
  const job = await jobOf(id)
  await eventually(async () => expect(await facts(id)).toContain('VideoRenderStarted'))
  return { id, job }
}
const call = (url: string, body: string) =>
  fetch(url, { method: 'POST', headers: { origin: 'https://api.minimax.io' }, body })

describe('a callback', () => {
  it('echoes the challenge at the callback URL of the task', async () => {
    const { job } = await begun(await kinora.newUser())
    expect(job.body.callback_url).toMatch(/\/webhooks\/minimax\/[0-9a-f-]{36}\.[\w-]{43}$/)
    await eventually(() => expect(double.sentCallbacks).toHaveLength(1))
    const [{ body, status, answer }] = double.sentCallbacks as [(typeof double.sentCallbacks)[0]]
    expect([status, JSON.parse(answer)]).toEqual([200, JSON.parse(body)])
  })

  it('triggers a poll: a finished video arrives long before the next regular poll', async () => {
    const user = await kinora.newUser()
    const { id, job } = await begun(user)
    job.status = 'Success'
    await double.sendCallback(job, 'success')
    await reaches(user, id, { status: 'Success', credits_consumed: 30 })
  })

  it("is only a hint: the provider's answer decides", async () => {
    const user = await kinora.newUser()
    const { id, job } = await begun(user)
    const queries = () => double.calls.filter(({ call }) => call === 'query').length
    const before = queries()
    for (const status of ['success', 'failed']) await double.sendCallback(job, status)
    await call(job.body.callback_url!, '{"task_id":"1","status":"success"}')
    await expect.poll(queries).toBeGreaterThan(before)
    await expect.poll(async () => (await taskOf(user, id)).status).toBe('Processing')
    expect(await facts(id)).not.toContain('VideoRenderFound')
  })

  it('is harmless when repeated, late or out of order', async () => {
    const user = await kinora.newUser()
    const { id, job } = await begun(user)
    job.status = 'Success'
    await Promise.all(
      ['success', 'processing', 'success', 'preparing'].map((status) => double.sendCallback(job, status)),
    )
    await reaches(user, id, { status: 'Success' })
    for (const status of ['processing', 'success', 'failed']) await double.sendCallback(job, status)
    expect(double.sentCallbacks.map(({ status }) => status)).toEqual(double.sentCallbacks.map(() => 200))
    expect(await facts(id)).toEqual([
      'VideoTaskSubmitted',
      'VideoRenderRequested',
      'VideoRenderAccepted',
      'VideoRenderStarted',
      'VideoDownloadStarted',
      'VideoTaskSucceeded',
    ])
    expect((await taskOf(user, id)).status).toBe('Success')
    expect(await remaining(user)).toBe(30)
  })

  it('is rejected at a guessed URL', async () => {
    const [{ job: mine }, { id: other }] = [await begun(await kinora.newUser()), await begun(await kinora.newUser())]
    const address = mine.body.callback_url!
    const mark = address.split('.').at(-1)
    const forged = [`${other}.${mark}`, `${other}.`, other, 'x.y', `${address.split('/').at(-1)}x`]
    for (const part of forged) {
      const answer = await call(`${kinora.url}/webhooks/minimax/${part}`, '{"challenge":"1"}')
      expect([part, answer.status]).toEqual([part, 401])
    }
  })

  it.each([
    ['nothing', '', 200],
    ['no JSON', '{"task_id":', 200],
    ['another shape', '[1]', 200],
    ['a list of ids', '{"task_id":[1]}', 200],
    ['far too much', `{"x":"${'x'.repeat(100_000)}"}`, 413],
  ])('that holds %s does no harm', async (_, body, status) => {
    const { job } = await begun(await kinora.newUser())
    expect((await call(job.body.callback_url!, body)).status).toBe(status)
  })
})

describe('a video that arrives after a failure', () => {
  it.each<Fault>(['done, then hang', 'done, then reset'])('is free when the answer was lost (%s)', async (fault) => {
    let left = 1
    double.fault = (kind) => (kind === 'create' && left-- > 0 ? fault : undefined)
    const user = await kinora.newUser()
    const { id } = await generate(user)
    const job = await jobOf(id)
    await reaches(user, id, { status: 'Fail', error_code: 'answer_lost', credits_consumed: 0 })
    await refunded(user)
    job.status = 'Success'
    await double.sendCallback(job, 'success')
    await reaches(user, id, { status: 'Success', error_code: null, credits_consumed: 0 })
    await double.sendCallback(job, 'success')
    expect((await user.call('GET', `/videos/preview/${id}`)).status).toBe(200)
    expect(await remaining(user)).toBe(60)
    expect((await facts(id)).slice(1)).toEqual([
      'VideoRenderRequested',
      'VideoTaskFailed',
      'VideoRenderFound',
      'VideoTaskRecovered',
    ])
    expect([...double.jobs.values()].filter(({ body }) => body.callback_url!.includes(id))).toHaveLength(1)
  })

  it('continues normally when the callback arrives before the answer counts as lost', async () => {
    let left = 1
    double.fault = (kind) => (kind === 'create' && left-- > 0 ? 'done, then hang' : undefined)
    const user = await kinora.newUser()
    const { id } = await generate(user)
    const job = await jobOf(id)
    job.status = 'Success'
    await double.sendCallback(job, 'processing')
    await reaches(user, id, { status: 'Success', credits_consumed: 30 })
    expect(double.reached.filter(({ callback_url }) => callback_url!.includes(id))).toHaveLength(1)
  })

  it('is free after the 30-minute timeout, as soon as the provider calls back', async () => {
    const user = await kinora.newUser()
    const { id, job } = await begun(user)
    moved += 30 * MINUTE
    await double.sendCallback(job, 'processing')
    await reaches(user, id, { status: 'Fail', error_code: 'render_timed_out', credits_consumed: 0 })
    await refunded(user)
    job.status = 'Success'
    await eventually(async () => {
      await double.sendCallback(job, 'success')
      expect((await taskOf(user, id)).status).toBe('Success')
    })
    expect(await remaining(user)).toBe(60)
  })
})
