import { mkdirSync, mkdtempSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { reaches, remaining } from '#workflows/testing/userTasks.ts'
import { judge, VALID } from '../../kernel/media/marks/testing/readMarks.ts'
import {
  type DefinitionDouble,
  DOUBLE_KEY,
  type DoubleJob,
  startDefinitionDouble,
} from '../../providers/video/definitions/testing/definitionDouble.ts'
import { shippedDefinitions } from '../../providers/video/definitions/testing/shippedDefinitions.ts'
import type { Task } from '../../tasks/contract.ts'
import { freePort } from '../../testing/freePort.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../../testing/testUser.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-new-provider-'))
const doubles = new Map<string, DefinitionDouble>()
const lines: string[] = []
let kinora: TestKinora

const MODEL = {
  names: { en: 'My model', zh: '我的模型' },
  descriptions: { en: 'A model of my own.', zh: '我自己的模型。' },
  shapes: [{ taskTypes: ['text_to_video'], resolutions: ['720P'], seconds: [5], credits: 15 }],
}

const drop = (folder: 'providers' | 'models', name: string, value: unknown) =>
  writeFile(path.join(dataDir, folder, `${name}.json`), typeof value === 'string' ? value : JSON.stringify(value))

beforeAll(async () => {
  for (const folder of ['providers', 'models']) mkdirSync(path.join(dataDir, folder))
  for (const definition of shippedDefinitions()) {
    const { name, rate } = definition
    if (!['ark', 'fal', 'replicate'].includes(name)) continue
    // Longer than the tests, so that only a webhook can trigger a poll.
    const double = await startDefinitionDouble(
      { ...definition, rate: { ...rate, pollSeconds: 60 } },
      { renderMs: 3_600_000 },
    )
    doubles.set(name, double)
    if (name !== 'ark') await drop('providers', name, double.definition)
  }
  const port = String(await freePort())
  const [PORT, PUBLIC_URL] = [port, `http://localhost:${port}`]
  const keys = { MY_GATEWAY_KEY: DOUBLE_KEY, FAL_KEY: DOUBLE_KEY, REPLICATE_API_TOKEN: DOUBLE_KEY }
  kinora = await startTestKinora({
    definitions: { callbacks: true, createTimeoutMs: 20_000, failureThreshold: 100 },
    logTo: { write: (line: string) => void lines.push(line) },
    env: { DATA_DIR: dataDir, LOG_LEVEL: 'warn', PORT, PUBLIC_URL, ...keys, WEBHOOK_PRIVATE_HOSTS: '127.0.0.1' },
  })
})
afterAll(async () => {
  await kinora.close()
  for (const double of doubles.values()) await double.close()
})
beforeEach(() => {
  for (const double of doubles.values()) double.fault = () => undefined
})

const generate = async (user: TestUser, body: object): Promise<string> => {
  const answer = await user.call('POST', '/videos/generate', { ...GENERATION, ...body })
  expect([answer.status, await answer.clone().text()]).toEqual([202, expect.anything()])
  return ((await answer.json()) as { task: Task }).task.id
}
const offered = async (user: TestUser) =>
  ((await (await user.call('GET', '/videos/models')).json()) as { id?: string; name?: string }[]).map(
    ({ id, name }) => id ?? name,
  )

describe('a new provider and a new model', () => {
  const models = [] as never[]
  const gateway = () => ({
    ...doubles.get('ark')!.definition,
    name: 'gateway',
    rate: { creates: 60, queries: 300, pollSeconds: 1 },
    key: { variable: 'MY_GATEWAY_KEY', header: 'Authorization', prefix: 'Bearer ' },
    models,
  })
  const route = { provider: 'gateway', model: 'doubao-seedance-2-0-260128' }
  const model = { ...MODEL, id: 'my-model', routes: [route] }
  const ORDER = { model: 'my-model', resolution: '720P', duration: 5 }

  it('make videos a few seconds after one file each was dropped in, without a restart', async () => {
    doubles.get('ark')!.renderMs = 50
    const user = await kinora.newUser()
    expect(await offered(user)).not.toContain('my-model')
    await drop('models', 'my-model', model)
    await drop('providers', 'gateway', gateway())
    await eventually(async () => expect(await offered(user)).toContain('my-model'))
    const id = await generate(user, ORDER)
    const engine_model = 'doubao-seedance-2-0-260128'
    await reaches(user, id, { status: 'Success', credits_consumed: 15, engine: 'gateway', engine_model })
    const film = await user.call('GET', `/videos/preview/${id}`)
    const sources = ['trainedAlgorithmicMedia']
    expect(await judge(Buffer.from(await film.arrayBuffer()), 'video/mp4')).toMatchObject({ ...VALID, sources })
    expect(doubles.get('ark')!.jobs.size).toBe(1)
  })

  it('stay in force when their files become faulty', async () => {
    const user = await kinora.newUser()
    await drop('providers', 'gateway', '{')
    await drop('models', 'my-model', { ...model, shapes: [] })
    const refused = () => lines.filter((line) => line.includes('faulty file refused')).join()
    await eventually(() => expect(refused()).toMatch(/gateway\.json.*my-model\.json|my-model\.json.*gateway\.json/s))
    const id = await generate(user, ORDER)
    await reaches(user, id, { status: 'Success' })
  })
})

describe.each([
  ['fal', 'fal-ai/kling-video/v2.5-turbo/pro'],
  ['replicate', 'kwaivgi/kling-v2.5-turbo-pro'],
])('a webhook of %s', (name, route) => {
  const double = () => doubles.get(name)!
  const ORDER = { model: `${name}-model`, resolution: '720P', duration: 5 }
  beforeAll(async () => {
    const id = `${name}-model`
    await drop('models', id, { ...MODEL, id, routes: [{ provider: name, model: route }] })
    await eventually(async () => expect(await offered(await kinora.newUser())).toContain(id))
  })
  const jobOf = (taskId: string): Promise<DoubleJob> =>
    eventually(() => {
      const job = [...double().jobs.values()].find(({ callbackUrl }) => callbackUrl?.includes(taskId))
      if (!job) throw new Error('no job yet')
      return job
    })
  const begun = async (user: TestUser) => {
    const id = await generate(user, ORDER)
    const job = await jobOf(id)
    await eventually(() => expect(job.polls).toBe(1))
    return { id, job }
  }

  // Running jobs would keep the only slot that a machine with the demo renderer has.
  afterEach(async () => {
    for (const job of double().jobs.values()) {
      job.finishAt = 0
      await double().sendWebhook(job)
    }
  })

  it('makes Kinora look at the job long before the next poll', async () => {
    const user = await kinora.newUser()
    const { id, job } = await begun(user)
    job.finishAt = 0
    expect((await double().sendWebhook(job)).status).toBe(200)
    await reaches(user, id, { status: 'Success', credits_consumed: 15 })
  })

  it('is only a hint: what it says about the job is not used', async () => {
    const user = await kinora.newUser()
    const { id, job } = await begun(user)
    expect((await double().sendWebhook(job)).status).toBe(200)
    await eventually(() => expect(job.polls).toBeGreaterThan(1))
    await reaches(user, id, { status: 'Processing' })
  })

  it('is rejected with another body, an old time or a guessed address, and causes no call', async () => {
    const { job } = await begun(await kinora.newUser())
    const answers = [
      await double().sendWebhook(job, undefined, (body) => `${body} `),
      await double().sendWebhook(job, Date.now() / 1000 - 301),
      await double().sendWebhook({ ...job, callbackUrl: `${job.callbackUrl}x` }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
    expect(job.polls).toBe(1)
  })

  it('finds the job of a lost answer, whose video is free', async () => {
    let left = 1
    double().fault = (call) => (call.startsWith('POST') && left-- > 0 ? 'done, then reset' : undefined)
    const user = await kinora.newUser()
    const id = await generate(user, ORDER)
    const job = await jobOf(id)
    await reaches(user, id, { status: 'Fail', error_code: 'answer_lost', credits_consumed: 0 })
    job.finishAt = 0
    await double().sendWebhook(job)
    await reaches(user, id, { status: 'Success', error_code: null, credits_consumed: 0 })
    expect(await remaining(user)).toBe(60)
    expect([...double().jobs.values()].filter(({ callbackUrl }) => callbackUrl?.includes(id))).toHaveLength(1)
  })
})
