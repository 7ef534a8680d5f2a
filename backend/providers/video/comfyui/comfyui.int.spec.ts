import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createOperatorAlerts } from '#backend/operators/operatorAlerts.ts'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import {
  acceptedJob,
  answerOf,
  type ContractWorld,
  NEVER,
  newRequest,
  videoProviderContract,
} from '../testing/videoProviderContract.ts'
import { type ComfyuiOptions, createComfyui } from './comfyui.ts'
import { type ComfyuiDouble, startComfyuiDouble } from './testing/comfyuiDouble.ts'
import { WAN } from './testing/exampleGraph.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-comfyui-'))
const graphs = path.join(folder, 'graphs')
const doubles = {} as Record<'current' | 'older', ComfyuiDouble>
const SERVERS = ['current', 'older'] as const
const HEADERS = { Authorization: 'Bearer comfy-secret' }
let double: ComfyuiDouble
let db: TemporaryDatabase
const lines: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })

beforeAll(async () => {
  mkdirSync(graphs)
  await writeFile(path.join(graphs, 'wan.json'), JSON.stringify(WAN))
  db = await startTemporaryDatabase()
  const header = ['Authorization', HEADERS.Authorization] as const
  doubles.current = await startComfyuiDouble({ header })
  doubles.older = await startComfyuiDouble({ older: true, header })
  double = doubles.current
})
beforeEach(async () => {
  double = doubles.current
  lines.length = 0
  for (const each of Object.values(doubles))
    Object.assign(each, {
      fault: () => undefined,
      renderMs: 50,
      busy: false,
      outputList: 'images',
      filename: 'kinora_00001_.mp4',
    })
  await db.pool.query('truncate circuit, operator_alert')
})
afterAll(async () => {
  for (const each of Object.values(doubles)) await each.close()
  await db.close()
  rmSync(folder, { recursive: true })
})

const adapter = (options: Partial<ComfyuiOptions> = {}): VideoProvider =>
  createComfyui({
    baseUrl: double.url,
    headers: HEADERS,
    folder: graphs,
    ffmpegPath: undefined,
    pool: db.pool,
    log,
    alerts: createOperatorAlerts(db.pool, log),
    timing: { pollIntervalMs: 20, timeoutMs: 2_000, stallTimeoutMs: 600, initialOpenMs: 30_000 },
    ...options,
  })
/** An adapter that the test closes. */
const opened = (options: Partial<ComfyuiOptions> = {}) => {
  const provider = adapter(options)
  onTestFinished(() => provider.close())
  return provider
}
const MODEL = { providerModel: 'wan', resolution: '720P', duration: 5, cameraMovements: [] } as const
const request = (more: Partial<ReturnType<typeof newRequest>> = {}) => newRequest({ ...MODEL, ...more })
const promptIdOf = (jobId: string) => jobId.split(':')[0]!
const jobOf = (engine: ComfyuiDouble, jobId: string) => engine.jobs.get(promptIdOf(jobId))!

for (const server of SERVERS)
  videoProviderContract(
    `ComfyUI (the double of its ${server} server)`,
    async (): Promise<ContractWorld> => {
      const engine = doubles[server]
      return {
        provider: adapter({ baseUrl: engine.url }),
        slow: (slow) => {
          engine.renderMs = slow ? 60_000 : 50
        },
        fail: (jobId) => Object.assign(jobOf(engine, jobId), { state: 'failed', error: 'Allocation on device' }),
        failures: ['provider_failed'],
        loseNextAnswer() {
          let left = 1
          engine.fault = (call) => (call === 'POST /prompt' && left-- > 0 ? 'done, then reset' : undefined)
        },
        started: () => engine.started.length,
        isStopped: (jobId) => jobOf(engine, jobId).state === 'cancelled',
        goAway: engine.goAway,
        comeBack: engine.comeBack,
      }
    },
    MODEL,
  )

describe('a queued graph', () => {
  const picture = path.join(folder, 'picture.jpg')
  // A JPEG header of 600 × 800 pixels.
  const jpeg = Buffer.from('ffd8ffc00011080320025803012200021100031101ffd9', 'hex')
  beforeAll(() => writeFile(picture, jpeg))
  const inputsOf = async (more: Parameters<typeof request>[0]) => {
    const jobId = await acceptedJob(opened(), request(more))
    const { graph } = jobOf(double, jobId)
    return Object.fromEntries(Object.entries(graph).map(([id, node]) => [id, node.inputs]))
  }

  it('is the operator’s, with the values of the request', async () => {
    const values = { prompt: 'A cat', seed: 7, negativePrompt: 'blur', aspectRatio: '9:16' }
    expect(await inputsOf({ ...values, cameraMovements: ['推进'] })).toMatchObject({
      '6': { text: 'A cat Camera: push in.', clip: ['38', 0] },
      '7': { text: 'blur' },
      '3': { seed: 7, steps: 20 },
      // Five seconds at 16 frames a second, and one.
      '55': { width: 720, height: 1280, length: 81 },
    })
  })
  it('keeps the saved negative prompt, and has a new seed each time, because equal graphs are not rendered again', async () => {
    const [one, two] = [await inputsOf({}), await inputsOf({})]
    expect(one['7']).toMatchObject({ text: 'static' })
    expect(one['3']!.seed).not.toEqual(two['3']!.seed)
  })
  it('refers to the uploaded first frame, whose shape it has', async () => {
    const inputs = await inputsOf({ firstFrame: picture })
    expect(inputs['52']).toMatchObject({ image: expect.stringMatching(/^kinora\/[0-9a-f-]{36}-first\.jpg$/) })
    expect(double.uploads.get(String(inputs['52']!.image))).toEqual(jpeg)
    expect(inputs['55']).toMatchObject({ width: 720, height: 960 })
  })
  it('is refused when ComfyUI lacks a node, and when it is gone', async () => {
    const nodes = double.nodes
    onTestFinished(() => void Object.assign(double, { nodes }))
    double.nodes = nodes.filter((name) => name !== 'KSampler')
    const refused = { kind: 'refused', code: 'provider_failed' }
    const detail = expect.stringContaining('at node 3')
    expect(await opened().create(request())).toMatchObject({ ...refused, detail })
    expect(await opened().create(request({ providerModel: 'gone' }))).toMatchObject(refused)
  })
})

describe('a repeated create call', () => {
  it('queues once, also after a restart of this process', async () => {
    const asked = request()
    const before = double.started.length
    double.fault = (call) => (call === 'POST /prompt' ? 'done, then reset' : undefined)
    await expect(opened().create(asked)).rejects.toThrow()
    expect(await acceptedJob(opened(), asked)).toBe(`${asked.taskId}:wan`)
    expect(double.started.length - before).toBe(1)
  })
  it('queues again after a restart of ComfyUI, which loses its queue', async () => {
    const provider = opened()
    const asked = request()
    const jobId = await acceptedJob(provider, asked)
    double.restart()
    expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'unknown' })
    expect(await acceptedJob(provider, asked)).toBe(jobId)
    expect(await answerOf(provider, jobId)).toMatchObject({ kind: 'finished' })
  })
  it('is not postponed after a lost answer, because the job may exist', async () => {
    const [provider, asked] = [opened(), request()]
    double.fault = (call) => (call === 'POST /prompt' ? 'done, then reset' : undefined)
    await expect(provider.create(asked)).rejects.toThrow()
    await double.goAway()
    onTestFinished(() => double.comeBack())
    await expect(provider.create(asked)).rejects.toThrow()
    expect(await provider.create(request())).toMatchObject({ kind: 'postponed' })
  })
})

describe('the state of a job', () => {
  it('is queued behind other jobs', async () => {
    double.busy = true
    const provider = opened()
    expect(await provider.state(await acceptedJob(provider, request()), NEVER)).toEqual({ kind: 'queued' })
  })
  it('has the progress that the socket reports, which never goes back', async () => {
    double.renderMs = 60_000
    const provider = opened()
    const jobId = await acceptedJob(provider, request())
    const id = promptIdOf(jobId)
    expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'rendering', percent: undefined })
    const { clientId } = jobOf(double, jobId)
    await vi.waitFor(() => expect(double.clients.has(clientId)).toBe(true))
    const reported = async (value: number, percent: number) => {
      double.sendProgress(id, value, 20)
      await vi.waitFor(async () => expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'rendering', percent }))
    }
    await reported(5, 25)
    await reported(20, 99)
    await reported(1, 99)
  })
  it('has the cost of the GPU’s time', async () => {
    const provider = opened()
    const jobId = await acceptedJob(provider, request())
    // Two seconds at a tenth of a cent.
    expect(await answerOf(provider, jobId)).toEqual({ kind: 'finished', costCents: 0.2 })
  })
  it.each(SERVERS)(
    'has the message of a failure, and no film of a graph without a video (%s server)',
    async (server) => {
      double = doubles[server]
      const provider = opened()
      const jobId = await acceptedJob(provider, request())
      Object.assign(jobOf(double, jobId), { state: 'failed', error: 'Allocation on device' })
      expect(await provider.state(jobId, NEVER)).toMatchObject({ kind: 'failed', detail: 'Allocation on device' })
      Object.assign(jobOf(double, jobId), { state: 'completed' })
      double.filename = 'picture.png'
      expect(await provider.state(jobId, NEVER)).toMatchObject({ detail: 'The graph saved no video.' })
    },
  )
})

describe('a finished video', () => {
  const fetched = async (changes: Partial<ComfyuiDouble> = {}) => {
    const provider = opened()
    const jobId = await acceptedJob(provider, request())
    Object.assign(double, changes)
    await answerOf(provider, jobId)
    const file = path.join(folder, `${Math.random()}.mp4`)
    await provider.fetch(jobId, file, NEVER)
    return readFile(file)
  }

  it('has neither the graph nor the prompt in its metadata', async () => {
    const file = await fetched()
    expect(file.includes('secret prompt') || file.includes('class_type')).toBe(false)
    expect(file.length).toBeGreaterThan(1_000)
  })
  it.each(['images', 'gifs', 'video'])(
    'is found among the %s of a node, and is not its preview',
    async (outputList) => {
      await fetched({ outputList })
      const url = double.received.findLast(({ call }) => call === 'GET /view')!.url
      expect(Object.fromEntries(url.searchParams)).toEqual({
        filename: 'kinora_00001_.mp4',
        subfolder: 'video',
        type: 'output',
      })
    },
  )
})

describe('a cancelled job', () => {
  it.each(SERVERS)('leaves the jobs of others alone (%s server)', async (server) => {
    double = doubles[server]
    double.renderMs = 60_000
    const provider = opened()
    const [mine, other] = [await acceptedJob(provider, request()), await acceptedJob(provider, request())]
    double.busy = true
    const waiting = await acceptedJob(provider, request())
    expect(await provider.cancel(mine, NEVER)).toBe('cancelled')
    expect(await provider.cancel(waiting, NEVER)).toBe('cancelled')
    expect([jobOf(double, other).state, double.jobs.has(promptIdOf(waiting))]).toEqual(['in_progress', false])
    const interrupts = double.received.filter(({ call }) => call === 'POST /interrupt')
    expect(interrupts.every(({ body }) => JSON.parse(body.toString()).prompt_id)).toBe(true)
  })
})

it('a discarded task leaves the history, which contains its prompt', async () => {
  const provider = opened()
  const jobId = await acceptedJob(provider, request())
  await answerOf(provider, jobId)
  await provider.discard(promptIdOf(jobId))
  expect(double.jobs.has(promptIdOf(jobId))).toBe(false)
})

describe('the operator’s graphs', () => {
  it('are models, with a version that changes with the graph', async () => {
    const [model] = await opened().models!(NEVER)
    expect(model).toMatchObject({
      id: 'wan',
      names: { en: 'Wan 2.2', zh: '万相 2.2' },
      inputs: { firstFrame: true, lastFrame: false },
      seed: true,
      negativePrompt: true,
      routes: [{ provider: 'comfyui', model: 'wan' }],
    })
    const changed = path.join(folder, 'changed')
    mkdirSync(changed)
    const graph = { ...WAN.graph, '3': { ...WAN.graph['3'], inputs: { ...WAN.graph['3'].inputs, steps: 30 } } }
    await writeFile(path.join(changed, 'wan.json'), JSON.stringify({ ...WAN, graph }))
    const [other] = await opened({ folder: changed }).models!(NEVER)
    expect([other!.id, other!.version === model!.version]).toEqual(['wan', false])
  })

  it('are checked against the nodes of the server, and its memory is told', async () => {
    const provider = opened()
    const found = { ok: true, detail: 'ComfyUI runs on cuda:0 NVIDIA GeForce RTX 4090 with 20.0 of 24.0 GiB free.' }
    expect(await provider.check(NEVER)).toEqual(found)
    const nodes = double.nodes
    onTestFinished(() => void Object.assign(double, { nodes }))
    double.nodes = []
    const missing = 'KSampler, CLIPTextEncode, SaveVideo, LoadImage, EmptyHunyuanLatentVideo'
    expect(await provider.check(NEVER)).toEqual({
      ok: false,
      detail: `ComfyUI lacks nodes of the graph wan: ${missing}.`,
    })
  })

  it.each([
    [{ bindings: { prompt: '6.words' } }, 'the graph has no input 6.words'],
    [{ bindings: { prompt: '6' } }, 'bindings.prompt'],
    [{ output: '99' }, 'the graph has no node 99'],
    [{ model: { ...WAN.model, shapes: [] } }, 'model.shapes'],
    [{ graph: {} }, 'the graph has no input 6.text'],
  ])('are refused with a reason when they have %j', async (changes, reason) => {
    const faulty = mkdtempSync(path.join(folder, 'faulty-'))
    await writeFile(path.join(faulty, 'wan.json'), JSON.stringify({ ...WAN, ...changes }))
    const provider = opened({ folder: faulty })
    const { ok, detail } = await provider.check(NEVER)
    expect([ok, detail, await provider.models!(NEVER)]).toEqual([false, expect.stringContaining(reason), []])
  })

  it('are never sent with a wrong header, and the header is never revealed', async () => {
    const provider = opened({ headers: { Authorization: 'Bearer other-secret' } })
    const answers = [await provider.create(request()), await provider.check(NEVER)]
    expect(answers).toMatchObject([{ kind: 'refused', code: 'provider_unavailable' }, { ok: false }])
    expect(JSON.stringify([answers, lines])).not.toContain('secret')
  })
})
