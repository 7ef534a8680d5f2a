import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOperatorAlerts } from '#backend/operators/operatorAlerts.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { type EngineFault, formOf } from '../testing/engineServer.ts'
import {
  acceptedJob,
  answerOf,
  type ContractWorld,
  NEVER,
  newRequest,
  videoProviderContract,
} from '../testing/videoProviderContract.ts'
import { type Personality, startVideosApiDouble, type VideosApiDouble } from './testing/videosApiDouble.ts'
import { createVideosApi, type VideosApiOptions } from './videosApi.ts'

const KEY = 'sk-engine-secret'
const CREATE = 'POST /v1/videos'
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-videos-api-'))
const doubles = {} as Record<Personality, VideosApiDouble>
let double: VideosApiDouble
let db: TemporaryDatabase
const lines: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
const PERSONALITIES = ['vllm-omni', 'sglang'] as const

beforeAll(async () => {
  db = await startTemporaryDatabase()
  for (const personality of PERSONALITIES)
    doubles[personality] = await startVideosApiDouble({ personality, apiKey: KEY })
  double = doubles['vllm-omni']
})
beforeEach(async () => {
  double = doubles['vllm-omni']
  lines.length = 0
  for (const each of Object.values(doubles))
    Object.assign(each, { fault: () => undefined, renderMs: 50, bucket: undefined, cancelling: 0 })
  await db.pool.query('truncate circuit, operator_alert')
})
afterAll(async () => {
  for (const each of Object.values(doubles)) await each.close()
  await db.close()
  rmSync(folder, { recursive: true })
})

const TIMING = {
  pollIntervalMs: 20,
  createTimeoutMs: 500,
  queryTimeoutMs: 2_000,
  stallTimeoutMs: 600,
  intervalMs: 20,
  initialOpenMs: 30_000,
}
const adapter = (options: Partial<VideosApiOptions> = {}) =>
  createVideosApi({
    baseUrl: double.url,
    apiKey: KEY,
    model: undefined,
    pool: db.pool,
    log,
    alerts: createOperatorAlerts(db.pool, log),
    timing: TIMING,
    ...options,
  })
const MODEL = { providerModel: 'Wan-AI/Wan2.2-T2V-A14B-Diffusers', resolution: '720P', cameraMovements: [] } as const
const request = (more: Partial<ReturnType<typeof newRequest>> = {}) => newRequest({ ...MODEL, ...more })
/** Injects a fault into the next create calls. */
const failCreates = (fault: EngineFault, calls = 1) => {
  double.fault = (call) => (call === CREATE && calls-- > 0 ? fault : undefined)
}

for (const personality of PERSONALITIES)
  videoProviderContract(
    `an engine of the /v1/videos shape (the double of ${personality})`,
    async (): Promise<ContractWorld> => {
      const engine = doubles[personality]
      return {
        provider: adapter({ baseUrl: engine.url }),
        cancels: personality === 'vllm-omni',
        slow: (slow) => {
          engine.renderMs = slow ? 60_000 : 50
        },
        fail(jobId, code) {
          const message = code === 'content_refused' ? 'content_policy_violation' : 'CUDA out of memory'
          Object.assign(engine.jobs.get(jobId)!, { status: 'failed', error: { code: 500, message } })
        },
        loseNextAnswer() {
          let left = 1
          engine.fault = (call) => (call === CREATE && left-- > 0 ? 'done, then reset' : undefined)
        },
        started: () => engine.started.length,
        isStopped: (jobId) => engine.started.find(({ id }) => id === jobId)?.aborted ?? false,
        goAway: engine.goAway,
        comeBack: engine.comeBack,
      }
    },
    MODEL,
  )

describe('a create call', () => {
  const fieldsOf = async (more: Parameters<typeof request>[0]) => {
    await acceptedJob(adapter(), request(more))
    const fields = Object.fromEntries(await formOf(double.received.findLast(({ call }) => call === CREATE)!))
    return fields as Record<string, FormDataEntryValue>
  }
  const picture = path.join(folder, 'picture.jpg')
  // A JPEG header of 600 × 800 pixels.
  const jpeg = Buffer.from('ffd8ffc0001108032002580301220002110003110' + '1ffd9', 'hex')
  beforeAll(() => writeFile(picture, jpeg))

  it('is a form with the model, the size and whole seconds', async () => {
    expect(await fieldsOf({ prompt: 'A cat', duration: 5 })).toEqual({
      prompt: 'A cat',
      model: MODEL.providerModel,
      seconds: '5',
      size: '1280x720',
    })
  })
  it('carries seed, negative prompt, ratio, sound and camera movements', async () => {
    const fields = await fieldsOf({
      prompt: 'A cat',
      seed: 7,
      negativePrompt: 'blur',
      aspectRatio: '9:16',
      sound: true,
      cameraMovements: ['左移', '上升'],
    })
    expect(fields).toMatchObject({ seed: '7', negative_prompt: 'blur', size: '720x1280', generate_sound: 'true' })
    expect(fields.prompt).toBe('A cat Camera: truck left, pedestal up.')
  })
  it('has the first frame as a file, and its shape', async () => {
    const fields = await fieldsOf({ firstFrame: picture })
    expect(fields).toMatchObject({ size: '720x960' })
    expect(Buffer.from(await (fields.input_reference as File).arrayBuffer())).toEqual(jpeg)
    expect(fields).not.toHaveProperty('image_reference')
  })
  it('has first and last frame in order, and never both kinds of pictures', async () => {
    const fields = await fieldsOf({ firstFrame: picture, lastFrame: picture })
    const image_url = `data:image/jpeg;base64,${jpeg.toString('base64')}`
    expect(JSON.parse(String(fields.image_reference))).toEqual([{ image_url }, { image_url }])
    expect(fields).not.toHaveProperty('input_reference')
  })
  it('sends H3 the short edge and the ratio', async () => {
    double.model = 'MiniMax-H3'
    const h3 = { providerModel: 'MiniMax-H3', resolution: '768P', aspectRatio: '9:16', firstFrame: picture }
    const fields = await fieldsOf(h3).finally(() => Object.assign(double, { model: MODEL.providerModel }))
    expect(fields).toMatchObject({ short_edge: '768', aspect_ratio: '9:16', size: '768x1360' })
    expect(JSON.parse(String(fields.image_reference))).toHaveLength(1)
  })
  it('is refused when the engine serves another model', async () => {
    expect(await adapter().create(request({ providerModel: 'another' }))).toEqual({
      kind: 'refused',
      code: 'provider_failed',
      detail: expect.stringContaining('Model mismatch'),
    })
  })
  it.each([
    [401, undefined, { kind: 'refused', code: 'provider_unavailable' }],
    [402, undefined, { kind: 'refused', code: 'provider_unavailable' }],
    [429, undefined, { kind: 'postponed' }],
    [422, undefined, { kind: 'refused', code: 'provider_failed' }],
    [400, '{"error":{"code":"content_policy_violation","message":"no"}}', { kind: 'refused', code: 'content_refused' }],
  ])('is certain after HTTP %i %s', async (status, text, expected) => {
    failCreates({ status, ...(text ? { text } : {}) })
    expect(await adapter().create(request())).toMatchObject(expected)
    expect(double.received.at(-1)?.call).toBe(CREATE)
  })
  it('never reveals the key', async () => {
    const provider = adapter({ apiKey: 'sk-another-secret' })
    const answers = [await provider.create(request()), await provider.check(NEVER)]
    const alerts = (await db.pool.query('select * from operator_alert')).rows
    expect(alerts).toHaveLength(1)
    expect(JSON.stringify([answers, alerts, lines])).not.toMatch(/sk-/)
  })
})

describe('a create call whose answer is lost', () => {
  const LOST = ['done, then reset', 'done, then hang', { status: 502 }, { status: 200, text: 'not JSON' }] as const
  it.each(LOST.slice(0, 2))('is matched by its prompt after %j', async (fault) => {
    failCreates(fault)
    const prompt = `A lost cat\nafter ${fault}`
    const jobId = await acceptedJob(adapter(), request({ prompt }))
    expect(double.jobs.get(jobId)?.fields.prompt).toBe(prompt.replace('\n', '\r\n'))
  })
  it.each(['reset', 'hang', ...LOST.slice(2)] as const)('stays open after %j, and is not sent again', async (fault) => {
    failCreates(fault)
    const before = double.count(CREATE)
    await expect(adapter().create(request({ prompt: 'Never received' }))).rejects.toThrow()
    expect(double.count(CREATE) - before).toBe(1)
  })
  it('stays open when another task of the process owns the job with that prompt', async () => {
    const provider = adapter()
    await acceptedJob(provider, request({ prompt: 'Twice the same' }))
    failCreates('reset')
    await expect(provider.create(request({ prompt: 'Twice the same' }))).rejects.toThrow()
  })
  it('stays open when several jobs match', async () => {
    for (let n = 0; n < 2; n++) await acceptedJob(adapter(), request({ prompt: 'Ambiguous' }))
    failCreates('done, then reset')
    await expect(adapter().create(request({ prompt: 'Ambiguous' }))).rejects.toThrow()
  })
  it('stays open with a picture, which the list does not show', async () => {
    const picture = path.join(folder, 'first.jpg')
    await writeFile(picture, Buffer.from('ffd8ffd9', 'hex'))
    failCreates('done, then reset')
    await expect(adapter().create(request({ prompt: 'A portrait', firstFrame: picture }))).rejects.toThrow()
  })
  it('stays open with SGLang, whose list has no prompts', async () => {
    double = doubles.sglang
    failCreates('done, then reset')
    await expect(adapter().create(request({ prompt: 'A lost cat' }))).rejects.toThrow()
  })
})

describe('the state of a job', () => {
  it.each(['succeeded', 'SUCCESS', 'completed', 'done'])('is finished when a gateway says %s', async (status) => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request({ duration: 5 }))
    double.jobs.get(jobId)!.status = status
    expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'finished', seconds: 5 })
  })
  it.each(['failed', 'FAIL', 'error', 'cancelled', 'canceled', 'expired'])(
    'is failed when a gateway says %s',
    async (status) => {
      double = doubles.sglang
      const provider = adapter()
      const jobId = await acceptedJob(provider, request())
      double.jobs.get(jobId)!.status = status
      expect(await provider.state(jobId, NEVER)).toMatchObject({ kind: 'failed', code: 'provider_failed' })
    },
  )
  it.each(['preparing', 'whatever'])('is rendering when a gateway says %s', async (status) => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    double.jobs.get(jobId)!.status = status
    expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'rendering', percent: undefined })
  })
  it('has the best-effort progress of SGLang', async () => {
    double = doubles.sglang
    double.renderMs = 60_000
    const provider = adapter()
    expect(await provider.state(await acceptedJob(provider, request()), NEVER)).toEqual({
      kind: 'rendering',
      percent: 99,
    })
  })
  it('is unknown after a restart of the engine', async () => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    double.restart()
    expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'unknown' })
  })
  it.each([500, 502, 401])('is asked for again after HTTP %i without an object', async (status) => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    double.fault = () => ({ status })
    await expect(provider.state(jobId, NEVER)).rejects.toThrow(`HTTP ${status}`)
    double.fault = () => undefined
    expect(await answerOf(provider, jobId)).toMatchObject({ kind: 'finished' })
  })
})

describe('a finished video', () => {
  const fetched = async (bucket?: string) => {
    double = doubles.sglang
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    double.bucket = bucket
    await answerOf(provider, jobId)
    const file = path.join(folder, `${Math.random()}.mp4`)
    await provider.fetch(jobId, file, NEVER)
    return (await readFile(file)).equals(double.video)
  }

  it('is downloaded with the key of the engine', async () => {
    expect(await fetched()).toBe(true)
    expect(double.received.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
  })
  it('is downloaded from the bucket that the engine names', async () => {
    expect(await fetched(`${doubles.sglang.url}/bucket/video.mp4`)).toBe(true)
  })
  it('is never downloaded from a private address that the engine names', async () => {
    await expect(fetched('https://127.0.0.1:1/video.mp4')).rejects.toThrow('HTTP 400')
  })
})

describe('a cancelled job', () => {
  const running = async () => {
    double.renderMs = 60_000
    const provider = adapter()
    return { provider, jobId: await acceptedJob(provider, request()) }
  }
  const deletes = (jobId: string) => double.count(`DELETE /v1/videos/${jobId}`)

  it('is deleted once', async () => {
    const { provider, jobId } = await running()
    expect([await provider.cancel(jobId, NEVER), deletes(jobId)]).toEqual(['cancelled', 1])
  })
  it('is deleted again while the engine answers that it is cancelling, at most three times', async () => {
    const { provider, jobId } = await running()
    double.cancelling = 2
    expect([await provider.cancel(jobId, NEVER), deletes(jobId)]).toEqual(['cancelled', 3])
    const another = await running()
    double.cancelling = 10
    await expect(another.provider.cancel(another.jobId, NEVER)).rejects.toThrow('HTTP 409')
    expect(deletes(another.jobId)).toBe(3)
  })
  it('goes on with SGLang, which would only forget it', async () => {
    double = doubles.sglang
    const { provider, jobId } = await running()
    expect([await provider.cancel(jobId, NEVER), deletes(jobId)]).toEqual(['unsupported', 0])
  })
  it.each([400, 405, 501])('goes on when a gateway answers %i', async (status) => {
    const { provider, jobId } = await running()
    double.fault = (call) => (call.startsWith('DELETE') ? { status } : undefined)
    if (status === 501) await expect(provider.cancel(jobId, NEVER)).rejects.toThrow()
    else expect(await provider.cancel(jobId, NEVER)).toBe('unsupported')
    expect((await provider.state(jobId, NEVER)).kind).toBe('rendering')
  })
})

describe('the models of an engine', () => {
  it('are those that it reports, each with an entry of the catalogue', async () => {
    const [model, ...others] = await adapter().models!(NEVER)
    expect(others).toEqual([])
    expect(model).toMatchObject({
      id: MODEL.providerModel,
      names: { en: 'Wan2.2-T2V-A14B-Diffusers', zh: 'Wan2.2-T2V-A14B-Diffusers' },
      shapes: [{ taskTypes: ['text_to_video'] }],
      inputs: { firstFrame: false, lastFrame: false },
      routes: [{ provider: 'videos-api', model: MODEL.providerModel }],
      version: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })
  it('are the configured one only, and the check tells whether it is served', async () => {
    const provider = adapter({ model: 'MiniMax-H3' })
    expect(await provider.models!(NEVER)).toMatchObject([
      { id: 'MiniMax-H3', sound: true, inputs: { firstFrame: true, lastFrame: true } },
    ])
    const detail = `The engine serves ${MODEL.providerModel}, but not MiniMax-H3.`
    expect(await provider.check(NEVER)).toEqual({ ok: false, detail })
  })
})
