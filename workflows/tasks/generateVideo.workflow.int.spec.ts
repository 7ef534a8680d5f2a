import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { creditAccount } from '#backend/credits/creditAccount.decider.ts'
import { createHandle, type Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { canonicalJson } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { createProviderDouble, type ProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import type { RenderState } from '#backend/tasks/videoProvider.port.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { buyPlan, readStats } from '#backend/testing/plans.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'
import { GENERATION } from '#backend/testing/testUser.ts'
import { generate, reaches, refunded, remaining, taskOf } from '../testing/userTasks.ts'

let db: TemporaryDatabase
let provider: ProviderDouble
let usual: Pick<ProviderDouble, 'create' | 'state' | 'idempotent'>
let kinora: TestKinora
let handle: Handle
let moved = 0
const states = new Map<string, RenderState>()
const MINUTE = 60_000

const start = (env: Record<string, string> = {}) => {
  const { socketDir, user, database } = db.postgres.server
  const DATABASE_URL = `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
  return startTestKinora({ provider, now: () => Date.now() + moved, env: { DATABASE_URL, ...env } })
}
const stop = () => kinora.close({ keep: true })
const again = async () => {
  kinora = await start({ DATA_DIR: kinora.dataDir, PORT: new URL(kinora.url).port })
}

beforeAll(async () => {
  db = await startTemporaryDatabase()
  provider = await createProviderDouble()
  const { create, state, idempotent } = provider
  usual = { create, state, idempotent }
  handle = createHandle(db.store)
  kinora = await start()
})
afterAll(async () => {
  await kinora.close()
  await db.close()
})
beforeEach(() => {
  states.clear()
  provider.answer = (jobId) => states.get(jobId) ?? { kind: 'rendering', percent: 10 }
  Object.assign(provider, usual)
})

const facts = async (stream: string) => {
  const types: string[] = []
  for await (const { type } of db.store.readStream(stream)) types.push(type)
  return types
}
const asked = (id: string) => provider.asked.filter(({ taskId }) => taskId === id)
const finish = (id: string) => states.set(id, { kind: 'finished' })

const BEGUN = ['VideoTaskSubmitted', 'VideoRenderRequested']
const MADE = [...BEGUN, 'VideoRenderAccepted', 'VideoRenderStarted', 'VideoDownloadStarted', 'VideoTaskSucceeded']

describe('generating a video', () => {
  it('sends the order to the provider and reports each step', async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Processing', progress: 10, credits_consumed: 30 })
    finish(id)
    await reaches(user, id, { status: 'Success', progress: null, video_duration: 1, error_code: null })
    expect(asked(id)).toMatchObject([
      {
        taskId: id,
        taskType: 'text_to_video',
        model: 'MiniMax-Hailuo-02',
        resolution: '768P',
        duration: 6,
        promptOptimizer: true,
        cameraMovements: [],
        prompt: GENERATION.prompt,
        firstFrame: undefined,
      },
    ])
    expect(await facts(`videoTask-${id}`)).toEqual(MADE)
    await expect
      .poll(() => facts(`creditAccount-${user.userId}`))
      .toEqual(['CreditLotGranted', 'CreditsHeld', 'CreditsCaptured'])
    expect(await remaining(user)).toBe(30)
  })

  it('tells the provider nothing of the user', async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await expect.poll(() => asked(id)).toHaveLength(1)
    const order = JSON.stringify(asked(id))
    for (const secret of [user.email, user.userId, 'Test User']) expect(order).not.toContain(secret)
    finish(id)
  })

  it('fails and refunds the credits when the provider rejects the order', async () => {
    provider.create = async () => ({ kind: 'refused', code: 'content_refused', detail: 'sensitive' })
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await reaches(user, id, {
      status: 'Fail',
      error_code: 'content_refused',
      error_message: 'The description or the picture was refused as sensitive.',
      credits_consumed: 0,
    })
    await refunded(user)
    expect(await facts(`videoTask-${id}`)).toEqual([...BEGUN, 'VideoTaskFailed'])
  })

  const TEXTS = ['a lens broke', '\0', '🎬'.slice(1), 'x'.repeat(1_100_000)]
  it.each(TEXTS)('fails and refunds the credits when the render fails with any text (%#)', async (detail) => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    states.set(id, { kind: 'failed', code: 'provider_failed', detail })
    await reaches(user, id, { status: 'Fail', error_code: 'provider_failed', credits_consumed: 0 })
    await refunded(user)
  })

  it('fails with the cause that the text of the provider names', async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    states.set(id, { kind: 'failed', code: 'provider_failed', detail: 'CUDA out of memory' })
    await reaches(user, id, { status: 'Fail', error_code: 'engine_out_of_memory', credits_consumed: 0 })
  })

  it('survives intermittent provider errors', async () => {
    let looks = 0
    provider.state = async (jobId) => {
      if (++looks % 2) throw new Error('a gateway timed out')
      return looks > 3 ? { kind: 'finished' } : provider.answer(jobId)
    }
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Success' })
    expect(asked(id)).toHaveLength(1)
  })

  it('does not retry a lost create call when the provider is not idempotent', async () => {
    provider.create = async (request) => {
      provider.asked.push(request)
      throw new Error('connection reset')
    }
    Object.assign(provider, { idempotent: false })
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Fail', error_code: 'answer_lost', credits_consumed: 0 })
    expect(asked(id)).toHaveLength(1)
    await refunded(user)
  })

  it('creates a lost job again when the provider is idempotent', async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    let lost = true
    provider.answer = (jobId) => (jobId === id && lost ? { kind: 'unknown' } : { kind: 'finished' })
    await expect.poll(() => asked(id).length).toBeGreaterThan(1)
    lost = false
    await reaches(user, id, { status: 'Success' })
  })
})

describe('the tasks of a Free user', () => {
  it('render one at a time in the order of submission', async () => {
    const user = await kinora.newUser()
    const [first, second] = [await generate(user), await generate(user)]
    await reaches(user, first.id, { status: 'Processing' })
    await reaches(user, second.id, { status: 'Queueing' })
    expect(asked(second.id)).toEqual([])
    finish(first.id)
    await reaches(user, first.id, { status: 'Success' })
    await reaches(user, second.id, { status: 'Processing' })
    finish(second.id)
    await reaches(user, second.id, { status: 'Success' })
    await expect
      .poll(async () => (await facts(`renderLane-${user.userId}`)).filter((type) => type !== 'RenderSlotAsked'))
      .toEqual(['RenderSlotClaimed', 'RenderSlotReleased', 'RenderSlotClaimed', 'RenderSlotReleased'])
  })

  it('free the queue position and the credits of a cancelled waiting task immediately', async () => {
    const user = await kinora.newUser()
    const [first, second] = [await generate(user), await generate(user)]
    await reaches(user, first.id, { status: 'Processing' })
    expect((await user.call('POST', '/videos/generate', GENERATION)).status).toBe(402)
    expect((await user.call('DELETE', `/videos/tasks/${second.id}`)).status).toBe(204)
    expect([await remaining(user), (await user.call('GET', `/videos/tasks/${second.id}`)).status]).toEqual([30, 404])
    const third = await generate(user)
    expect((await user.call('DELETE', `/videos/task/${first.id}`)).status).toBe(409)
    finish(first.id)
    finish(third.id)
    await reaches(user, third.id, { status: 'Success' })
    expect(asked(second.id)).toEqual([])
    expect(await facts(`videoTask-${second.id}`)).toEqual([
      'VideoTaskSubmitted',
      'VideoTaskQueued',
      'VideoTaskFailed',
      'VideoTaskDeleted',
    ])
    expect(await remaining(user)).toBe(0)
  })

  it('fail and are refunded after six hours without a slot', async () => {
    const user = await kinora.newUser()
    const [first, second] = [await generate(user), await generate(user)]
    await reaches(user, first.id, { status: 'Processing' })
    await reaches(user, second.id, { status: 'Queueing' })
    moved += 6 * 60 * MINUTE
    await reaches(user, first.id, { status: 'Fail', error_code: 'render_timed_out' })
    await reaches(user, second.id, { status: 'Fail', error_code: 'waited_too_long', credits_consumed: 0 })
    await refunded(user)
    expect(asked(second.id)).toEqual([])
  })
})

it('starts a task that has a slot while an older one of its user waits for the provider', async () => {
  const user = await kinora.newUser()
  await buyPlan(kinora, user, 'standard')
  await eventually(async () => expect((await readStats(user)).current_tier).toBe('standard'))
  const freed = Promise.withResolvers<number>()
  const acquire = vi.spyOn(provider, 'acquire').mockReturnValueOnce(freed.promise)
  const older = await generate(user)
  await expect.poll(() => acquire).toHaveBeenCalled()
  const younger = await generate(user)
  await expect.poll(() => asked(younger.id)).toHaveLength(1)
  expect(asked(older.id)).toEqual([])
  freed.resolve(0)
  for (const { id } of [older, younger]) {
    finish(id)
    await reaches(user, id, { status: 'Success' })
  }
  acquire.mockRestore()
})

describe('a program that is stopped during a render', () => {
  it('resumes after a restart with one video and one charge per task', async () => {
    const user = await kinora.newUser()
    const [first, second] = [await generate(user), await generate(user)]
    await reaches(user, first.id, { status: 'Processing' })
    await stop()
    finish(first.id)
    finish(second.id)
    await again()
    await reaches(user, first.id, { status: 'Success' })
    await reaches(user, second.id, { status: 'Success' })
    expect([asked(first.id).length, asked(second.id).length]).toEqual([1, 1])
    await expect
      .poll(async () => (await facts(`creditAccount-${user.userId}`)).toSorted())
      .toEqual(['CreditLotGranted', 'CreditsCaptured', 'CreditsCaptured', 'CreditsHeld', 'CreditsHeld'])
    expect(await facts(`videoTask-${first.id}`)).toEqual(MADE.toSpliced(4, 0, 'VideoTaskClaimed'))
  })

  it('delivers a video that finishes after the timeout for free', async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Processing' })
    moved += 29 * MINUTE
    const { answer } = provider
    let polls = 0
    provider.answer = (jobId) => {
      if (jobId === id) polls++
      return answer(jobId)
    }
    await expect.poll(() => polls).toBeGreaterThan(2)
    expect((await taskOf(user, id)).status).toBe('Processing')
    moved += MINUTE
    await reaches(user, id, { status: 'Fail', error_code: 'render_timed_out', credits_consumed: 0, video_url: null })
    await refunded(user)
    await stop()
    finish(id)
    await again()
    await reaches(user, id, {
      status: 'Success',
      error_code: null,
      error_message: null,
      credits_consumed: 0,
      video_url: `/api/v1/videos/preview/${id}`,
    })
    expect((await user.call('GET', `/videos/preview/${id}`)).status).toBe(200)
    expect(await facts(`creditAccount-${user.userId}`)).toEqual(['CreditLotGranted', 'CreditsHeld', 'CreditsReleased'])
    expect((await facts(`videoTask-${id}`)).slice(-2)).toEqual(['VideoTaskFailed', 'VideoTaskRecovered'])
    expect(await remaining(user)).toBe(60)
  })

  it('releases held credits whose task was never submitted', async () => {
    const user = await kinora.newUser()
    const hold = async (holdId: string, ageMs: number) => {
      const at = new Date(Date.now() + moved - ageMs).toISOString()
      const command = { type: 'HoldCredits', userId: user.userId, holdId, amount: 30, openLimit: 2, at } as const
      await handle(creditAccount, user.userId, command, { commandId: holdId, actor: 'system', correlationId: holdId })
    }
    const [orphan, fresh] = [uuid7(), uuid7()]
    await hold(orphan, 21_000)
    await hold(fresh, 1_000)
    await expect.poll(() => remaining(user)).toBe(0)
    await stop()
    await again()
    await expect.poll(() => remaining(user)).toBe(30)
    expect([await facts(`videoTask-${orphan}`), await facts(`videoTask-${fresh}`)]).toEqual([
      ['VideoTaskAbandoned'],
      [],
    ])
  })
})

describe('a task that was abandoned before it was submitted', () => {
  it('costs nothing and frees its idempotency key', async () => {
    const user = await kinora.newUser()
    const [taskId, key] = [uuid7(), uuid7()]
    const body = { ...GENERATION, camera_movements: [], prompt_optimizer: true }
    const hash = createHash('sha256').update(canonicalJson(body)).digest('hex')
    const row = [user.userId, key, hash, taskId]
    await db.pool.query(`insert into idempotency_key values ($1, $2, $3, $4, 'open', now())`, row)
    const at = new Date().toISOString()
    const context = { commandId: taskId, actor: 'system', correlationId: taskId }
    await handle(videoTask, taskId, { type: 'Abandon', taskId, at }, context)
    const refused = await user.call('POST', '/videos/generate', GENERATION, { 'idempotency-key': key })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    const { id } = await generate(user, { 'idempotency-key': key })
    expect(id).not.toBe(taskId)
    finish(id)
    await reaches(user, id, { status: 'Success' })
  })
})
