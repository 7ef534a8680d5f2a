import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { createProviderDouble, type ProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { buyPlan, readStats } from '../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'

/** Plans with the number of tasks that fill their queue, and of those that run. */
const PLANS = [
  { tier: 'free', open: 2, running: 1 },
  { tier: 'standard', open: 4, running: 2 },
  { tier: 'ultimate', open: 7, running: 2 },
]

let kinora: TestKinora
let provider: ProviderDouble
/** Jobs that the engine was asked to stop, and the answer that it holds back. */
let stopping: string[]
let stopped: PromiseWithResolvers<void>
beforeAll(async () => {
  provider = await createProviderDouble()
  provider.answer = () => ({ kind: 'rendering', percent: 40 })
  provider.cancel = async (jobId) => {
    stopping.push(jobId)
    await stopped.promise
    return 'cancelled'
  }
  kinora = await startTestKinora({ provider })
})
afterAll(async () => {
  await kinora.close()
})
beforeEach(() => {
  stopping = []
  stopped = Promise.withResolvers()
  provider.asked.length = 0
})

async function subscriber(tier: string): Promise<TestUser> {
  const user = await kinora.newUser()
  if (tier === 'free') return user
  await buyPlan(kinora, user, tier)
  await eventually(async () => expect((await readStats(user)).current_tier).toBe(tier))
  return user
}

/** Tasks that hold slots are ordered side by side, so either may reach the engine first. */
const ordered = () => provider.asked.map(({ taskId }) => taskId).toSorted()

async function fillQueue(user: TestUser, open: number, running: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < open; n++) {
    const answer = await user.call('POST', '/videos/generate', GENERATION)
    expect([answer.status, n]).toEqual([202, n])
    ids.push(((await answer.json()) as { task: { id: string } }).task.id)
  }
  await eventually(() => expect(ordered()).toEqual(ids.slice(0, running).toSorted()))
  return ids
}

const released = async (ids: readonly string[]) => {
  const sql = `select count(*)::int as n from event where type = 'RenderSlotReleased' and data->>'taskId' = any ($1)`
  return (await kinora.context.pool.query<{ n: number }>(sql, [ids])).rows[0]!.n
}

describe('a full queue at an engine that is slow to stop', () => {
  it.for(PLANS)('gets no order after an account with the plan $tier was deleted', async (plan) => {
    const user = await subscriber(plan.tier)
    const ids = await fillQueue(user, plan.open, plan.running)
    expect((await user.call('POST', '/users/delete', { password: 'correct horse' })).status).toBe(200)
    // The engine is asked to stop all running jobs side by side.
    await eventually(() => expect(stopping.toSorted()).toEqual(ids.slice(0, plan.running).toSorted()))
    stopped.resolve()
    await eventually(async () => expect(await released(ids)).toBe(plan.open))
    expect(ordered()).toEqual(ids.slice(0, plan.running).toSorted())
  })

  it.for([
    ['at once', 'oldest'],
    ['at once', 'newest'],
    ['one after the other', 'oldest'],
    ['one after the other', 'newest'],
  ] as const)('gets no order after all videos were deleted %s, %s first', async ([how, first]) => {
    const user = await subscriber('ultimate')
    const ids = await fillQueue(user, 7, 2)
    const [running, waiting] = [ids.slice(0, 2), ids.slice(2)]
    for (const id of running) expect((await user.call('POST', `/videos/tasks/${id}/cancel`)).status).toBe(202)
    await eventually(() => expect(stopping.toSorted()).toEqual(running.toSorted()))
    const order = first === 'oldest' ? waiting : waiting.toReversed()
    if (how === 'at once') {
      const answer = await user.call('POST', '/videos/delete', { ids: order })
      expect(await answer.json()).toEqual({ deleted: order, failed: [] })
    } else for (const id of order) expect((await user.call('DELETE', `/videos/tasks/${id}`)).status).toBe(204)
    stopped.resolve()
    await eventually(async () => expect(await released(ids)).toBe(7))
    expect(ordered()).toEqual(running.toSorted())
  })
})
