import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { EventStoreDbTestServer } from '../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { createProviderDouble, type ProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { replayLedger } from '../testing/replayLedger.ts'
import { sampled } from '../testing/sampled.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION } from '../testing/testUser.ts'

let kinora: TestKinora
let provider: ProviderDouble

const rendering = () => {
  provider.answer = () => ({ kind: 'rendering', percent: 40 })
}
const finishing = () => {
  provider.answer = () => ({ kind: 'finished' })
}

const json = async (response: Response | Promise<Response>) => (await response).json() as Promise<never>
type Stats = { remaining_credits: number; used_credits: number; total_credits: number }
type Task = { id: string; status: string; credits_consumed: number }

/** A model file at a price in credits. */
const pricedModel = (credits: number) => ({
  ...{ id: 'priced', names: { en: 'Priced', zh: '定价' }, descriptions: { en: 'Priced', zh: '定价' } },
  shapes: [{ taskTypes: ['text_to_video'], resolutions: ['768P'], seconds: [6], credits }],
  routes: [{ provider: 'demo', model: 'priced' }],
})

/** The same tests run on both event stores. The double of EventStoreDB serves its real protocol from memory. */
describe.each(sampled(['Postgres', 'a double of EventStoreDB']))(
  'generating a video, with the events in %s',
  (name) => {
    let server: EventStoreDbTestServer | undefined

    beforeAll(async () => {
      provider = await createProviderDouble()
      server = name !== 'Postgres' ? await new EventStoreDbTestServer().start() : undefined
      const env = server ? { EVENTSTORE_URL: `esdb://app:secret@127.0.0.1:${server.port}?tls=false` } : undefined
      kinora = await startTestKinora({ provider, ...(env && { env }) })
    })
    afterAll(async () => {
      await kinora.close()
      server?.kill()
    })

    it('cancels a running render, whose credits come back, and refuses to cancel what has ended', async () => {
      rendering()
      const user = await kinora.newUser()
      const { task } = await json(user.call('POST', '/videos/generate', GENERATION))
      const { id } = task as Task
      const read = async () => (await json(user.call('GET', `/videos/tasks/${id}`))) as Task
      await eventually(async () => expect((await read()).status).toBe('Processing'))
      const other = await kinora.newUser()
      expect((await other.call('POST', `/videos/tasks/${id}/cancel`)).status).toBe(403)
      Object.assign(provider, { cancels: false })
      const refused = await user.call('POST', `/videos/tasks/${id}/cancel`)
      expect([refused.status, await json(refused)]).toMatchObject([409, { code: 'cannot_cancel' }])
      Object.assign(provider, { cancels: true })
      const answer = await user.call('POST', `/videos/tasks/${id}/cancel`)
      expect([answer.status, await json(answer)]).toMatchObject([202, { task: { id } }])
      const end = { status: 'Fail', error_code: 'cancelled', credits_consumed: 0 }
      await eventually(async () => expect(await read()).toMatchObject(end))
      await expect.poll(() => json(user.call('GET', '/subscriptions/stats'))).toMatchObject({ remaining_credits: 60 })
      expect((await user.call('POST', `/videos/tasks/${id}/cancel`)).status).toBe(202)
    })

    it('holds the credits, renders the video and captures the credits', async () => {
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
      await eventually(async () => {
        expect(((await json(user.call('GET', `/videos/tasks/${task.id}`))) as Task).status).toBe('Success')
      })
      expect(await json(user.call('GET', '/subscriptions/stats'))).toMatchObject({
        remaining_credits: 30,
        total_credits: 60,
      })
      const video = await user.call('GET', `/videos/preview/${task.id}`, undefined, { range: 'bytes=0-99' })
      expect([video.status, video.headers.get('content-range')]).toEqual([206, expect.stringMatching(/^bytes 0-99\//)])
    })

    it('accepts exactly two of 200 concurrent calls on 60 credits', async () => {
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
      if (name === 'Postgres') await expectNoDrift(user.userId)
      finishing()
    })

    it('accepts exactly one of 50 concurrent calls that each cost the whole balance', async () => {
      rendering()
      const user = await kinora.newUser()
      const dear = { ...GENERATION, duration: 10 }
      const answers = await Promise.all(Array.from({ length: 50 }, () => user.call('POST', '/videos/generate', dear)))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([202, ...Array(49).fill(402)])
      finishing()
    })

    it('creates one task and one charge for 50 concurrent calls with the same key', async () => {
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

    it('refuses an order at a former price before it holds credits, and repeats the answer of an accepted one', async () => {
      rendering()
      const user = await kinora.newUser()
      const folder = path.join(kinora.dataDir, 'models')
      mkdirSync(folder)
      const setPrice = async (credits: number) => {
        writeFileSync(path.join(folder, 'priced.json'), JSON.stringify(pricedModel(credits)))
        const offered = [expect.objectContaining({ name: 'priced', costs: [expect.objectContaining({ credits })] })]
        const models = async () => json(user.call('GET', '/videos/models'))
        await eventually(async () => expect(await models()).toEqual(expect.arrayContaining(offered)))
      }
      const order = async (expected: number | undefined, key: string) => {
        const body = { ...GENERATION, model: 'priced', ...(expected && { expected_credits: expected }) }
        const answer = await user.call('POST', '/videos/generate', body, { 'idempotency-key': key })
        const { task, code, credits } = (await json(answer)) as { task?: Task; code?: string; credits?: number }
        return [answer.status, task?.id ?? code, task?.credits_consumed ?? credits]
      }
      await setPrice(10)
      const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
      const accepted = await order(10, first)
      expect(accepted).toEqual([202, expect.any(String), 10])
      await setPrice(20)
      expect(await order(10, second)).toEqual([409, 'price_changed', 20])
      expect(await json(user.call('GET', '/subscriptions/stats'))).toMatchObject({ remaining_credits: 50 })
      expect([await order(10, first), await order(20, first)]).toEqual([accepted, accepted])
      expect(await order(undefined, second)).toEqual([202, expect.any(String), 20])
    })
  },
)

/** Expects that the account's events are the grant and two holds, without a gap in the hash chain. */
async function expectNoDrift(account: string): Promise<void> {
  const { connection } = await connectDatabase({ databaseUrl: undefined, dataDir: kinora.dataDir }, () => {})
  const pool = openPool(connection)
  const replayed = (await replayLedger(pool)).find(({ userId }) => userId === account)
  await pool.end()
  expect(replayed).toEqual({ userId: account, granted: 60, left: 0, held: 60, captured: 0, chained: true })
}
