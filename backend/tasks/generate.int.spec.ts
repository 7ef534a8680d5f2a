import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createProviderDouble, type ProviderDouble } from '../testing/providerDouble.ts'
import { GENERATION, startTestKinora, type TestKinora } from '../testing/testKinora.ts'

let kinora: TestKinora
let provider: ProviderDouble

beforeAll(async () => {
  provider = await createProviderDouble()
  kinora = await startTestKinora({ provider })
})
afterAll(() => kinora.close())

const rendering = () => {
  provider.answer = () => ({ kind: 'rendering', percent: 40 })
}
const finishing = () => {
  provider.answer = () => ({ kind: 'finished' })
}

const json = async (response: Response | Promise<Response>) => (await response).json() as Promise<never>
type Stats = { remaining_credits: number; used_credits: number; total_credits: number }
type Task = { id: string; status: string; credits_consumed: number }

describe('generating a video', () => {
  it('holds the credits, makes the video, and captures them', async () => {
    rendering()
    const user = await kinora.newUser()
    expect(await json(user.call('GET', '/subscriptions/stats'))).toMatchObject({
      remaining_credits: 60,
      used_credits: 0,
    })
    const answer = await user.call('POST', '/videos/generate', GENERATION)
    expect(answer.status).toBe(202)
    const { task } = (await json(answer)) as { task: Task }
    expect(task).toMatchObject({ ...GENERATION, credits_consumed: 30, error_code: null })
    expect(await json(user.call('GET', '/subscriptions/stats'))).toMatchObject({
      remaining_credits: 30,
      used_credits: 30,
    })
    finishing()
    await vi.waitFor(async () => {
      expect(((await json(user.call('GET', `/videos/tasks/${task.id}`))) as Task).status).toBe('Success')
    }, 15_000)
    expect(await json(user.call('GET', '/subscriptions/stats'))).toMatchObject({
      remaining_credits: 30,
      total_credits: 60,
    })
    const video = await user.call('GET', `/videos/preview/${task.id}`, undefined, { range: 'bytes=0-99' })
    expect([video.status, video.headers.get('content-range')]).toEqual([206, expect.stringMatching(/^bytes 0-99\//)])
  })

  it('accepts exactly two of 200 racing calls on 60 credits', async () => {
    rendering()
    const user = await kinora.newUser()
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => user.call('POST', '/videos/generate', GENERATION)),
    )
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    expect(count(202)).toBe(2)
    expect(count(402) + count(429)).toBe(198)
    const { tasks } = (await json(user.call('GET', '/videos/tasks'))) as { tasks: Task[] }
    expect(tasks).toHaveLength(2)
    const stats = (await json(user.call('GET', '/subscriptions/stats'))) as Stats
    expect(stats).toMatchObject({ remaining_credits: 0, used_credits: 60, total_credits: 60 })
    finishing()
  })

  it('makes one task and one charge of the same key sent 50 times at once', async () => {
    finishing()
    const user = await kinora.newUser()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => user.call('POST', '/videos/generate', GENERATION, key)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(202))
    const ids = await Promise.all(answers.map(async (answer) => ((await json(answer)) as { task: Task }).task.id))
    expect(new Set(ids).size).toBe(1)
    const stats = (await json(user.call('GET', '/subscriptions/stats'))) as Stats
    expect(stats.remaining_credits).toBe(30)
    const other = await user.call('POST', '/videos/generate', { ...GENERATION, prompt: 'Another' }, key)
    expect([other.status, ((await json(other)) as { code: string }).code]).toEqual([422, 'idempotency_key_reused'])
  })
})
