import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type EngineFault, formOf } from '../testing/engineServer.ts'
import { acceptedJob, type ContractWorld, NEVER, videoProviderContract } from '../testing/videoProviderContract.ts'
import { createClaimedJobs } from './claimedJobs.ts'
import { CREATE, MODEL, openVideosApiWorld, PERSONALITIES, request } from './testing/openVideosApiWorld.ts'
import type { DoubleJob } from './testing/videosApiDouble.ts'

const world = openVideosApiWorld()
const { adapter, doubles, folder, lines } = world
/** Adds a job of another client to the engine. */
const addJob = (id: string, fields: DoubleJob['fields']) =>
  world.double.jobs.set(id, { id, fields, createdAt: Math.floor(Date.now() / 1000), finishAt: 0 })
/** Injects a fault into the next create calls. */
const failCreates = (fault: EngineFault, calls = 1) => {
  world.double.fault = (call) => (call === CREATE && calls-- > 0 ? fault : undefined)
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
    const fields = Object.fromEntries(await formOf(world.double.received.findLast(({ call }) => call === CREATE)!))
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
  describe.each(PERSONALITIES)('for MiniMax-H3 served by %s', (program) => {
    const ofH3 = async (more: Parameters<typeof request>[0]) => {
      world.double = doubles[program]
      world.double.model = 'MiniMaxAI/MiniMax-H3'
      const h3 = { providerModel: 'MiniMaxAI/MiniMax-H3', resolution: '768P', duration: 5, ...more }
      return fieldsOf(h3).finally(() => Object.assign(world.double, { model: MODEL.providerModel }))
    }
    const sglang = program === 'sglang'
    it('names the ratio of a video from text, 16:9 if none was chosen, and never a size', async () => {
      for (const [aspectRatio, sent] of [
        [undefined, '16:9'],
        ['9:16', '9:16'],
      ] as const) {
        const fields = await ofH3(aspectRatio ? { aspectRatio } : {})
        expect(fields).not.toHaveProperty('size')
        const target = { short_edge: 768, aspect_ratio: sent, duration_seconds: 5 }
        if (sglang) expect([fields.task, JSON.parse(String(fields.target))]).toEqual(['t2va', target])
        else expect(fields).toMatchObject({ short_edge: '768', aspect_ratio: sent })
      }
    })
    it.each([
      ['first', { firstFrame: picture }, [0]],
      ['last', { lastFrame: picture }, [-1]],
      ['first and last', { firstFrame: picture, lastFrame: picture }, [0, -1]],
    ] as const)('has the %s frame in its place', async (_, frames, indices) => {
      const fields = await ofH3(frames)
      const uri = `data:image/jpeg;base64,${jpeg.toString('base64')}`
      if (sglang)
        expect([
          fields.task,
          JSON.parse(String(fields.conditions)),
          JSON.parse(String(fields.target)).aspect_ratio,
        ]).toEqual([
          'fl2va',
          indices.map((frame_index) => ({ type: 'image', role: 'keyframe', uri, frame_index })),
          'auto',
        ])
      else expect(JSON.parse(String(fields.image_reference))).toEqual(indices.map(() => ({ image_url: uri })))
    })
  })
  it('of MiniMax-H3 has its references in the form of the engine, which makes no frames of them', async () => {
    const ofH3 = async (program: 'vllm-omni' | 'sglang', more: Parameters<typeof request>[0] = {}) => {
      world.double = doubles[program]
      world.double.model = 'MiniMax-H3'
      onTestFinished(() => void Object.assign(doubles[program], { model: MODEL.providerModel }))
      const h3 = { providerModel: 'MiniMax-H3', resolution: '768P', duration: 5, references: [picture, picture] }
      return { ...h3, aspectRatio: '9:16', ...more }
    }
    const uri = `data:image/jpeg;base64,${jpeg.toString('base64')}`
    const vllm = await fieldsOf(await ofH3('vllm-omni'))
    expect([vllm.aspect_ratio, JSON.parse(String(vllm.extra_params))]).toEqual(['9:16', { task: 'ref2va' }])
    expect(JSON.parse(String(vllm.image_reference))).toEqual([{ image_url: uri }, { image_url: uri }])
    const both = await adapter().create(request(await ofH3('vllm-omni', { firstFrame: picture })))
    expect(both).toMatchObject({ kind: 'refused', detail: expect.stringContaining('not supported') })
    const sglang = await fieldsOf(await ofH3('sglang', { firstFrame: picture }))
    const reference = { type: 'image', role: 'reference', uri }
    expect([sglang.task, JSON.parse(String(sglang.conditions))]).toEqual([
      'ref2va',
      [{ type: 'image', role: 'keyframe', uri, frame_index: 0 }, reference, reference],
    ])
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
    expect(world.double.received.at(-1)?.call).toBe(CREATE)
  })
  it('is accepted with an id that is a number of 64 bits', async () => {
    failCreates({ status: 200, text: '{"id":9007199254740993,"status":"queued"}' })
    expect(await acceptedJob(adapter(), request())).toBe('9007199254740993')
  })
  it('raises and clears its own alerts only', async () => {
    const { pool, alerts } = world.deps()
    await alerts.raise('video_provider_account', 'MiniMax: insufficient balance')
    await adapter({ apiKey: 'wrong' }).create(request())
    const open = async () => (await pool.query('select code from operator_alert where cleared_at is null')).rows
    const own = { code: 'video_provider_key_refused videos-api' }
    expect(await open()).toEqual([{ code: 'video_provider_account' }, own])
    await acceptedJob(adapter(), request())
    expect(await open()).toEqual([{ code: 'video_provider_account' }])
  })
  it('never reveals the key', async () => {
    const provider = adapter({ apiKey: 'sk-another-secret' })
    const answers = [await provider.create(request()), await provider.check(NEVER)]
    const alerts = (await world.deps().pool.query('select * from operator_alert')).rows
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
    expect(world.double.jobs.get(jobId)?.fields.prompt).toBe(prompt)
  })
  it.each(['reset', 'hang', ...LOST.slice(2)] as const)('stays open after %j, and is not sent again', async (fault) => {
    failCreates(fault)
    const before = world.double.count(CREATE)
    await expect(adapter().create(request({ prompt: 'Never received' }))).rejects.toThrow()
    expect(world.double.count(CREATE) - before).toBe(1)
  })
  it('stays open when another task of the process owns the job with that prompt', async () => {
    const provider = adapter()
    await acceptedJob(provider, request({ prompt: 'Twice the same' }))
    failCreates('reset')
    await expect(provider.create(request({ prompt: 'Twice the same' }))).rejects.toThrow()
  })
  it('stays open when a task of another process owns the job with that prompt', async () => {
    await acceptedJob(adapter(), request({ prompt: 'In two processes' }))
    failCreates('reset')
    await expect(adapter().create(request({ prompt: 'In two processes' }))).rejects.toThrow()
  })
  it('is adopted by one of two tasks of two processes, if only one job was created', async () => {
    const faults: EngineFault[] = ['done, then reset', 'reset']
    world.double.fault = (call) => (call === CREATE ? faults.shift() : undefined)
    const creates = [adapter(), adapter()].map((process) => process.create(request({ prompt: 'Lost twice' })))
    const answers = await Promise.allSettled(creates)
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
  it('is adopted once, also by tasks that have found it at the same time', async () => {
    const { adopt } = createClaimedJobs(world.deps().pool)
    expect((await Promise.all([adopt('found', 'one'), adopt('found', 'other')])).sort()).toEqual([false, true])
  })
  it('is found again by its task when the answer to the adoption is lost too', async () => {
    const { pool } = world.deps()
    const losing = Object.assign(Object.create(pool), {
      query: async (...query: Parameters<typeof pool.query>) => {
        const answer = await pool.query(...query)
        if (!String(query[0]).includes('true, $2')) return answer
        Reflect.deleteProperty(losing, 'query')
        throw new Error('the connection is lost')
      },
    })
    failCreates('done, then reset')
    await acceptedJob(adapter({ pool: losing }), request({ prompt: 'Lost twice over' }))
  })
  it('stays open when another task has adopted the job before its answer came', async () => {
    failCreates('done, then reset')
    const jobId = await acceptedJob(adapter(), request({ prompt: 'Adopted' }))
    failCreates({ status: 200, text: JSON.stringify({ id: jobId, status: 'queued' }) })
    await expect(adapter().create(request({ prompt: 'Adopted' }))).rejects.toThrow('adopted')
  })
  it('stays open when the only job with that prompt has another length', async () => {
    addJob('longer', { prompt: 'Longer', seconds: '10' })
    failCreates('reset')
    await expect(adapter().create(request({ prompt: 'Longer', duration: 5 }))).rejects.toThrow()
  })
  it('is matched although the list has an entry of another shape', async () => {
    const odd = { id: undefined, fields: { prompt: 'Odd' }, createdAt: 0, finishAt: 0 }
    world.double.jobs.set('odd', odd as unknown as DoubleJob)
    failCreates('done, then reset')
    await acceptedJob(adapter(), request({ prompt: 'Beside an odd entry' })).finally(() =>
      world.double.jobs.delete('odd'),
    )
  })
  it('stays open when several jobs match', async () => {
    addJob('ambiguous', { prompt: 'Ambiguous', seconds: '6' })
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
    world.double = doubles.sglang
    failCreates('done, then reset')
    await expect(adapter().create(request({ prompt: 'A lost cat' }))).rejects.toThrow()
  })
})

describe('a create call that the engine answers with an error of its own', () => {
  const text = '{"error":{"code":500,"message":"CUDA out of memory. Tried to allocate 2.00 GiB"}}'
  const detail = 'The engine answered HTTP 500 500 CUDA out of memory. Tried to allocate 2.00 GiB'
  const failure = { kind: 'failed', code: 'provider_failed', detail }
  const picture = path.join(folder, 'of-the-user.jpg')
  beforeAll(() => writeFile(picture, Buffer.from('ffd8ffd9', 'hex')))
  const createOnce = async (more: Parameters<typeof request>[0]) => {
    const before = world.double.count(CREATE)
    const answer = await adapter()
      .create(request(more))
      .catch((error: Error) => error.message)
    expect(world.double.count(CREATE) - before).toBe(1)
    return answer
  }

  it.each(PERSONALITIES)('is a failure, and not sent again, if the list of %s lacks the job', async (program) => {
    world.double = doubles[program]
    // Forgets the jobs of other tests, of which SGLang does not say whose they are.
    world.double.restart()
    for (const more of [{ prompt: 'Refused' }, { prompt: 'Refused', firstFrame: picture }]) {
      failCreates({ status: 500, text })
      expect(await createOnce(more)).toEqual(failure)
    }
  })
  it('is a refused text if the error says so', async () => {
    failCreates({ status: 500, text: '{"detail":"content_policy_violation"}' })
    expect(await createOnce({ prompt: 'Refused' })).toMatchObject({ kind: 'failed', code: 'content_refused' })
  })
  it('is matched all the same if the list has the job', async () => {
    failCreates({ status: 500, text })
    addJob('made all the same', { prompt: 'Made all the same', seconds: '6' })
    expect(await createOnce({ prompt: 'Made all the same' })).toEqual({ kind: 'accepted', jobId: 'made all the same' })
  })
  it.each([
    ['the list cannot be read', { status: 500, text }, (call: string) => call === 'GET /v1/videos'],
    ['a gateway waited too long', { status: 504, text }, () => false],
    ['a proxy answered', { status: 502, text: '<html>' }, () => false],
    ['a proxy answered without a word', { status: 500, text: '{}' }, () => false],
  ])('stays open if %s', async (_, fault, isAway) => {
    world.double.fault = (call) => (call === CREATE ? fault : isAway(call) ? { status: 503 } : undefined)
    expect(await createOnce({ prompt: 'Open' })).toContain(`HTTP ${fault.status}`)
  })
  it('stays open if the list has a job that could be its own', async () => {
    failCreates({ status: 500, text })
    addJob('of a picture', { prompt: 'Somebody', seconds: '6' })
    expect(await createOnce({ prompt: 'Somebody', firstFrame: picture })).toContain('HTTP 500')
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
  it('are those that make videos: no chat model of a gateway, and none that only the operator can judge', async () => {
    world.double.others = [
      { id: 'gpt-5', mode: 'chat' },
      { id: 'house-style', mode: 'video_generation' },
      { id: 'house-7b' },
      { id: 'FLUX.2', owned_by: 'sglang', supported_task_types: ['T2I', 'I2I'] },
    ]
    const ids = async (models?: string[]) => (await adapter({ models }).models!(NEVER)).map(({ id }) => id)
    expect(await ids()).toEqual([MODEL.providerModel, 'house-style'])
    expect(await ids(['house-*'])).toEqual(['house-style', 'house-7b'])
    const asks = 'Not offered: house-7b. Nothing says that they make videos'
    expect((await adapter().check(NEVER)).detail).toContain(asks)
    const alerts = async () =>
      (await world.deps().pool.query('select code, detail from operator_alert where cleared_at is null')).rows
    const code = 'video_models_unknown videos-api'
    expect(await alerts()).toEqual([])
    await adapter().models!(NEVER)
    expect(await alerts()).toEqual([{ code, detail: expect.stringContaining(asks) }])
    world.double.others = []
    await adapter().models!(NEVER)
    expect(await alerts()).toEqual([])
  })
  it('offer of MiniMax-H3 what its engine takes', async () => {
    const h3 = async (program: 'vllm-omni' | 'sglang') => {
      Object.assign(doubles[program], { model: 'MiniMax-H3' })
      const [model] = await adapter({ baseUrl: doubles[program].url }).models!(NEVER)
      Object.assign(doubles[program], { model: MODEL.providerModel })
      return model
    }
    const common = {
      negativePrompt: false,
      inputs: { firstFrame: true, lastFrame: true },
      shapes: [{ resolutions: ['768P'] }],
    }
    expect(await h3('vllm-omni')).toMatchObject({ ...common, sound: true })
    expect(await h3('sglang')).toMatchObject({ ...common, sound: false })
  })
  it('are the configured ones only, and the check tells whether they are served', async () => {
    const provider = adapter({ models: ['MiniMax-H3'] })
    expect(await provider.models!(NEVER)).toMatchObject([{ id: 'MiniMax-H3', inputs: { lastFrame: true } }])
    const detail = `The engine serves ${MODEL.providerModel}, but not MiniMax-H3.`
    expect(await provider.check(NEVER)).toEqual({ ok: false, detail })
  })
})
