import { mkdirSync, mkdtempSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  acceptedJob,
  answerOf,
  type ContractWorld,
  NEVER,
  videoProviderContract,
} from '../testing/videoProviderContract.ts'
import { WAN } from './testing/exampleGraph.ts'
import { jobOf, MODEL, openComfyuiWorld, request, SERVERS } from './testing/openComfyuiWorld.ts'

const world = openComfyuiWorld()
const { adapter, doubles, folder, lines, opened } = world

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
    const { graph } = jobOf(world.double, jobId)
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
    expect(world.double.uploads.get(String(inputs['52']!.image))).toEqual(jpeg)
    expect(inputs['55']).toMatchObject({ width: 720, height: 960 })
  })
  it('is refused, and taken back, when ComfyUI would leave out the node that saves the video', async () => {
    onTestFinished(() => void Object.assign(world.double, { nodeErrors: {} }))
    const errors = [
      { type: 'value_not_in_list', message: 'Value not in list', details: "unet_name: 'wan.safetensors' not in []" },
    ]
    const fault = (dependent_outputs: string[]) => ({ '37': { errors, dependent_outputs, class_type: 'UNETLoader' } })
    world.double.nodeErrors = fault(['9'])
    world.double.renderMs = 60_000
    expect(await opened().create(request())).toEqual({
      kind: 'refused',
      code: 'provider_failed',
      detail:
        "ComfyUI would make no video at node 37 (UNETLoader): Value not in list: unet_name: 'wan.safetensors' not in []",
    })
    expect(world.double.started.at(-1)).toMatchObject({ state: 'cancelled' })
    world.double.nodeErrors = fault(['12'])
    expect(await opened().create(request())).toMatchObject({ kind: 'accepted' })
  })
  it('is refused when ComfyUI lacks a node, and when it is gone', async () => {
    const nodes = world.double.nodes
    onTestFinished(() => void Object.assign(world.double, { nodes }))
    world.double.nodes = nodes.filter((name) => name !== 'KSampler')
    const refused = { kind: 'refused', code: 'provider_failed' }
    const detail = "ComfyUI answered HTTP 400 Cannot execute because node KSampler does not exist. Node ID '#3'"
    expect(await opened().create(request())).toMatchObject({ ...refused, detail })
    expect(await opened().create(request({ providerModel: 'gone' }))).toMatchObject(refused)
  })
})

describe('a job of an older server', () => {
  it.each(['/history', '/queue'])('is known when it ends after the answer of %s', async (path) => {
    const { older } = doubles
    const provider = adapter({ baseUrl: older.url })
    const jobId = await acceptedJob(provider, request())
    jobOf(older, jobId).finishAt = Number.POSITIVE_INFINITY
    older.fault = (call) => {
      // Faults are chosen before the answer, so the job ends before the call that follows.
      if (!call.includes(path) && !call.includes('/api/jobs')) jobOf(older, jobId).finishAt = 0
      return undefined
    }
    onTestFinished(() => {
      older.fault = () => undefined
    })
    expect((await provider.state(jobId, NEVER)).kind).not.toBe('unknown')
  })
})

it('a job waits in the queue of an older server, however long the graphs before it are', async () => {
  const { older } = doubles
  older.busy = true
  onTestFinished(older.restart)
  const provider = adapter({ baseUrl: older.url })
  await acceptedJob(provider, request({ prompt: 'x'.repeat(2 ** 20) }))
  expect(await provider.state(await acceptedJob(provider, request()), NEVER)).toEqual({ kind: 'queued' })
})

describe('a repeated create call', () => {
  it('queues once, also after a restart of this process', async () => {
    const asked = request()
    const before = world.double.started.length
    world.double.fault = (call) => (call === 'POST /prompt' ? 'done, then reset' : undefined)
    await expect(opened().create(asked)).rejects.toThrow()
    expect(await acceptedJob(opened(), asked)).toBe(`${asked.taskId}:wan`)
    expect(world.double.started.length - before).toBe(1)
  })
  it('queues again after a restart of ComfyUI, which loses its queue', async () => {
    const provider = opened()
    const asked = request()
    const jobId = await acceptedJob(provider, asked)
    world.double.restart()
    expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'unknown' })
    expect(await acceptedJob(provider, asked)).toBe(jobId)
    expect(await answerOf(provider, jobId)).toMatchObject({ kind: 'finished' })
  })
  it('is not postponed after a lost answer, because the job may exist', async () => {
    const [provider, asked] = [opened(), request()]
    world.double.fault = (call) => (call === 'POST /prompt' ? 'done, then reset' : undefined)
    await expect(provider.create(asked)).rejects.toThrow()
    await world.double.goAway()
    onTestFinished(() => world.double.comeBack())
    await expect(provider.create(asked)).rejects.toThrow()
    expect(await provider.create(request())).toMatchObject({ kind: 'postponed' })
  })
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
    const nodes = world.double.nodes
    onTestFinished(() => void Object.assign(world.double, { nodes }))
    world.double.nodes = []
    const missing = 'KSampler, CLIPTextEncode, SaveVideo, CLIPLoader, LoadImage, EmptyHunyuanLatentVideo'
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

  it('bind inputs whose names have dots, as those of newer nodes', async () => {
    const dotted = mkdtempSync(path.join(folder, 'dotted-'))
    const resize = { class_type: 'KSampler', inputs: { 'resize_type.width': 832, 'resize_type.height': 480 } }
    const bindings = { ...WAN.bindings, width: '60.resize_type.width', height: '60.resize_type.height' }
    const graph = { ...WAN.graph, '60': resize }
    await writeFile(path.join(dotted, 'wan.json'), JSON.stringify({ ...WAN, bindings, graph }))
    await acceptedJob(opened({ folder: dotted }), request({ aspectRatio: '9:16' }))
    expect(world.double.started.at(-1)!.graph['60']!.inputs).toEqual({
      'resize_type.width': 720,
      'resize_type.height': 1280,
    })
  })

  it('are never sent with a wrong header, and the header is never revealed', async () => {
    const provider = opened({ headers: { Authorization: 'Bearer other-secret' } })
    const answers = [await provider.create(request()), await provider.check(NEVER)]
    expect(answers).toMatchObject([{ kind: 'refused', code: 'provider_unavailable' }, { ok: false }])
    expect((await world.deps().pool.query('select code from operator_alert')).rows).toEqual([
      { code: 'video_provider_key_refused comfyui' },
    ])
    expect(JSON.stringify([answers, lines])).not.toContain('secret')
  })
})
