import { mkdtempSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createGuard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { readImageHeader } from '#backend/kernel/media/imageFile.ts'
import type { GraphSetup } from '#backend/operators/graphSetup.port.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { acceptedJob, answerOf, NEVER } from '../../testing/videoProviderContract.ts'
import { WORKFLOW } from '../testing/exampleWorkflow.ts'
import { openComfyuiWorld, request } from '../testing/openComfyuiWorld.ts'
import { createComfyuiSetup } from './comfyuiSetup.ts'

const world = openComfyuiWorld()
const { folder, opened } = world
let graphs: string
let setup: GraphSetup
beforeEach(() => {
  graphs = mkdtempSync(path.join(folder, 'set-up-'))
  const headers = { Authorization: 'Bearer comfy-secret' }
  const provider = { check: async () => ({ ok: true, detail: '' }), models: async () => [] }
  setup = createComfyuiSetup({
    ...{ baseUrl: world.double.url, guard: createGuard(), headers, folder: graphs, ffmpegPath: undefined, provider },
  })
})
const proposed = () => setup.inspect(WORKFLOW, NEVER)
const draftOf = ({ graph, bindings, output, fps }: Awaited<ReturnType<typeof proposed>>) => ({
  ...{ graph, bindings, fps, output: output! },
})
const reason = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Error) => error.message,
  )

describe('a workflow of the editor', () => {
  it('becomes a graph of the API, without notes and reroutes', async () => {
    const { graph } = await proposed()
    expect(Object.keys(graph).toSorted()).toEqual(['3', '37', '38', '39', '55', '57', '6', '7', '8', '9'])
    expect(graph['3']).toEqual({
      class_type: 'KSampler',
      inputs: {
        ...{ seed: 42, steps: 20, cfg: 5, sampler_name: 'uni_pc', scheduler: 'simple', denoise: 1 },
        ...{ model: ['37', 0], positive: ['6', 0], negative: ['7', 0], latent_image: ['55', 0] },
      },
    })
  })
  it('is proposed with prompt, seed, size, frames and output', async () => {
    const { bindings, output, fps, resolution, seconds, faults, places } = await proposed()
    expect(bindings).toEqual({
      ...{ prompt: '6.text', negativePrompt: '7.text', seed: '3.seed' },
      ...{ width: '55.width', height: '55.height', frames: '55.length' },
    })
    expect({ output, fps, resolution, seconds, faults }).toEqual({
      ...{ output: '9', fps: 16, resolution: '480P', seconds: 5, faults: [] },
    })
    expect(places.prompt).toContainEqual({ place: '7.text', label: '7 · CLIPTextEncode · text = blurry, static' })
  })
  it('reads the same from the form of the API', async () => {
    const { graph, ...rest } = await proposed()
    expect(await setup.inspect(graph, NEVER)).toEqual({ graph, ...rest })
  })
  it('names the nodes and models that the server lacks', async () => {
    const { graph } = await proposed()
    const faulty = {
      ...graph,
      '37': { ...graph['37']!, inputs: { unet_name: 'other.safetensors' } },
      '99': { class_type: 'VHS_VideoCombine', inputs: {} },
    }
    expect((await setup.inspect(faulty, NEVER)).faults).toEqual([
      'Node 37 (UNETLoader): ComfyUI has no unet_name “other.safetensors”.',
      'Node 99: ComfyUI lacks VHS_VideoCombine.',
    ])
  })
  it.each([
    ['nothing of ComfyUI', { hello: 'world' }, 'This is no workflow of ComfyUI.'],
    ['a bypassed node', { nodes: [{ id: 3, type: 'KSampler', mode: 4 }] }, 'Node 3 (KSampler) is bypassed.'],
    ['a node that the server lacks', { nodes: [{ id: 3, type: 'Magic' }] }, 'ComfyUI lacks the node Magic.'],
    [
      'a subgraph',
      { nodes: [{ id: 3, type: '0f3c5a1e-0000-4000-8000-000000000000' }] },
      'Node 3 is a subgraph. Export it with “Save (API format)” instead.',
    ],
    [
      'links in a circle',
      {
        nodes: [
          { id: 8, type: 'VAEDecode', inputs: [{ name: 'samples', link: 1 }] },
          { id: 9, type: 'Reroute', inputs: [{ name: '', link: 1 }] },
        ],
        links: [[1, 9, 0, 8, 0, 'LATENT']],
      },
      'lead in a circle',
    ],
    ['more values than inputs', { nodes: [{ id: 8, type: 'VAEDecode', widgets_values: [1, 2] }] }, 'more values'],
  ])('is refused with the reason if it is %s', async (_, workflow, why) => {
    expect(await reason(setup.inspect(workflow, NEVER))).toContain(why)
  })
})

describe('a test render', () => {
  const finished = (id: string) =>
    eventually(async () => expect(await setup.testState(id, '9', NEVER)).toEqual({ state: 'finished', detail: null }))

  it('has a picture, and leaves no prompt on the server', async () => {
    const draft = draftOf(await proposed())
    const id = await setup.test(draft, { prompt: 'A red kite', seconds: 2, resolution: '480P' }, NEVER)
    const { inputs } = world.double.started.at(-1)!.graph['55']!
    expect(inputs).toMatchObject({ width: 848, height: 480, length: 33 })
    await finished(id)
    const picture = await setup.picture(id, '9', 16, NEVER)
    expect(readImageHeader(picture)).toMatchObject({ width: 640 })
    expect(world.double.jobs.has(id)).toBe(false)
    expect(await reason(setup.testState(id, '9', NEVER))).toContain('does not know')
  })
  it('says why the server refused it, or why it failed', async () => {
    onTestFinished(() => void Object.assign(world.double, { nodeErrors: {} }))
    const draft = draftOf(await proposed())
    const start = () => setup.test(draft, { prompt: 'A red kite', seconds: 2, resolution: '480P' }, NEVER)
    const id = await start()
    Object.assign(world.double.jobs.get(id)!, { state: 'failed', error: 'Allocation on device' })
    const failed = { state: 'failed', detail: 'Node 3 (KSampler): Allocation on device' }
    expect(await setup.testState(id, '9', NEVER)).toEqual(failed)
    expect(world.double.jobs.has(id)).toBe(false)
    const errors = [{ message: 'Value not in list', details: "unet_name: 'x' not in []" }]
    world.double.nodeErrors = { '37': { errors, dependent_outputs: ['9'], class_type: 'UNETLoader' } }
    expect(await reason(start())).toContain('node 37 (UNETLoader): Value not in list')
  })
})

describe('a graph that is set up', () => {
  const entry = async () => ({
    ...draftOf(await proposed()),
    ...{ id: 'wan-5b', names: { en: 'Wan 5B', zh: '万相 5B' }, resolutions: ['480P'], seconds: [5], credits: 20 },
    replace: false,
  })
  it('is stored in the folder, and renders', async () => {
    await setup.save(await entry())
    const provider = opened({ folder: graphs })
    expect(await provider.models!(NEVER)).toMatchObject([
      { id: 'wan-5b', names: { en: 'Wan 5B' }, shapes: [{ taskTypes: ['text_to_video'], credits: 20 }], seed: true },
    ])
    expect(await provider.modelName!('wan-5b')).toBe('Wan 5B')
    const jobId = await acceptedJob(provider, request({ providerModel: 'wan-5b', resolution: '480P' }))
    expect(await answerOf(provider, jobId)).toMatchObject({ kind: 'finished' })
  })
  it('replaces another one only if it may', async () => {
    await setup.save(await entry())
    const file = path.join(graphs, 'wan-5b.json')
    const before = await readFile(file, 'utf8')
    const other = { ...(await entry()), names: { en: 'Other', zh: '其他' } }
    expect(await reason(setup.save(other))).toContain('There is a graph wan-5b already')
    expect(await readFile(file, 'utf8')).toBe(before)
    await setup.save({ ...other, replace: true })
    expect(await readFile(file, 'utf8')).toContain('Other')
  })
  it('is refused if it binds an input that the graph does not have', async () => {
    const { bindings, ...rest } = await entry()
    const bound = { ...rest, bindings: { ...bindings, prompt: '6.words' } }
    expect(await reason(setup.save(bound))).toContain('the graph has no input 6.words')
  })
})
