import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import { createGuard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { runFfmpeg } from '#backend/kernel/media/ffmpeg.ts'
import { probeMp4 } from '#backend/kernel/media/probeMp4.ts'
import { createOperatorAlerts } from '#backend/operators/alerts/operatorAlerts.ts'
import { createComfyui } from '#backend/providers/video/comfyui/comfyui.ts'
import { createComfyuiSetup } from '#backend/providers/video/comfyui/setup/comfyuiSetup.ts'
import { answerOf, NEVER, newRequest } from '#backend/providers/video/testing/videoProviderContract.ts'
import type { RenderRequest, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { type Part, type PartContext, Skipped } from './part.ts'

/** A ComfyUI server that runs already, because its packages need gigabytes. The graphs need no model. */
export const COMFYUI_PARTS: readonly Part[] = [{ name: 'ComfyUI', run: tryComfyui }]

type Nodes = Readonly<Record<string, { readonly class_type: string; readonly inputs: Record<string, unknown> }>>

/** A film of one colour: prompt, size and frames have inputs of their own. */
const graphOf = (images: string, save: Nodes, more: Nodes = {}): Nodes => ({
  '3': { class_type: 'EmptyImage', inputs: { width: 512, height: 512, batch_size: 1, color: 4_456_703 } },
  '6': { class_type: 'PrimitiveString', inputs: { value: 'x' } },
  '61': { class_type: 'PreviewAny', inputs: { source: ['6', 0] } },
  '8': { class_type: 'CreateVideo', inputs: { images: [images, 0], fps: 16 } },
  ...save,
  ...more,
})
const saved = (format: string): Nodes => ({
  '9': { class_type: 'SaveVideo', inputs: { video: ['8', 0], filename_prefix: 'kinora/test', format, codec: 'auto' } },
})
const blurred = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => {
    const image = [n === 0 ? '3' : String(99 + n), 0]
    return [String(100 + n), { class_type: 'ImageBlur', inputs: { image, blur_radius: 15, sigma: 5 } }]
  }),
)
const resized = {
  '40': {
    class_type: 'ResizeImageMaskNode',
    inputs: {
      ...{ input: ['3', 0], resize_type: 'scale dimensions', scale_method: 'area' },
      ...{ 'resize_type.width': 512, 'resize_type.height': 512, 'resize_type.crop': 'center' },
    },
  },
}
const pictures: Nodes = {
  '9': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'kinora/test' } },
}
const picture = { '10': { class_type: 'LoadImage', inputs: { image: 'example.png' } } }
const repeated = {
  ...picture,
  '4': { class_type: 'RepeatImageBatch', inputs: { image: ['10', 0], amount: 16 } },
}
const BINDINGS = { prompt: '6.value', width: '3.width', height: '3.height', frames: '3.batch_size' }

/** The graphs, and what becomes of an order. */
const GRAPHS: Readonly<
  Record<string, { readonly graph: Nodes; readonly ends: 'film' | RegExp; readonly bindings?: object }>
> = {
  mp4: { graph: graphOf('3', saved('mp4')), ends: 'film' },
  mkv: { graph: graphOf('3', saved('mkv')), ends: 'film' },
  webm: { graph: graphOf('3', saved('webm')), ends: 'film' },
  pictures: { graph: graphOf('3', pictures), ends: 'film' },
  dotted: {
    graph: graphOf('40', saved('mp4'), resized),
    bindings: { ...BINDINGS, width: '40.resize_type.width', height: '40.resize_type.height' },
    ends: 'film',
  },
  frame: {
    graph: graphOf('4', saved('mp4'), repeated),
    bindings: { prompt: '6.value', frames: '4.amount', firstFrame: '10.image' },
    ends: 'film',
  },
  broken: { graph: graphOf('3000', saved('mp4')), ends: /node|Node/ },
  missing: {
    graph: graphOf('5', saved('mp4'), { '5': { class_type: 'NoSuchNode', inputs: {} } }),
    ends: /NoSuchNode|node/,
  },
  slow: { graph: graphOf('111', saved('mp4'), blurred), ends: 'film' },
}

async function tryComfyui({ folder }: PartContext): Promise<string> {
  const baseUrl = process.env.TEST_COMFYUI_URL?.replace(/\/$/, '')
  if (!baseUrl) throw new Skipped('TEST_COMFYUI_URL names no server')
  const stats = (await (await fetch(`${baseUrl}/system_stats`)).json()) as { system?: { comfyui_version?: string } }
  const model = {
    ...{ names: { en: 'Test', zh: '测试' }, descriptions: { en: 'Test', zh: '测试' }, aspectRatios: ['16:9'] },
    shapes: [{ taskTypes: ['text_to_video', 'image_to_video'], resolutions: ['480P'], seconds: [1, 4] }],
  }
  for (const [name, { graph, bindings = BINDINGS }] of Object.entries(GRAPHS))
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify({ model, bindings, output: '9', fps: 16, graph }))
  const db = await startTemporaryDatabase()
  const log = pino({ level: 'silent' })
  const alerts = createOperatorAlerts(db.pool, log)
  const access = { baseUrl, guard: createGuard(), headers: {}, folder, ffmpegPath: undefined }
  const provider = createComfyui({ ...access, pool: db.pool, log, alerts, timing: { pollIntervalMs: 200 } })
  try {
    for (const name of Object.keys(GRAPHS)) await tryGraph(provider, name, folder)
    await trySetUp(createComfyuiSetup({ ...access, provider }))
    assert.deepEqual(await ownHistory(baseUrl), [])
    return stats.system?.comfyui_version ?? 'of an unknown version'
  } finally {
    await provider.close()
    await db.close()
  }
}

const requestOf = (providerModel: string, more: Partial<RenderRequest> = {}) =>
  newRequest({ ...{ providerModel, resolution: '480P', duration: 1, cameraMovements: [], prompt: MARK }, ...more })
/** Text by which the prompts of this test are recognised in the server's history. */
const MARK = 'a prompt of Kinora’s own test'

async function tryGraph(provider: VideoProvider, name: string, folder: string): Promise<void> {
  const { ends } = GRAPHS[name]!
  const still = path.join(folder, 'first.png')
  await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc=size=640x360', '-frames:v', '1', '-y', still])
  const request = requestOf(name, name === 'frame' ? { firstFrame: still } : name === 'slow' ? { duration: 4 } : {})
  const answer = await provider.create(request)
  const state = answer.kind === 'accepted' && name !== 'slow' ? await answerOf(provider, answer.jobId) : undefined
  if (name === 'slow' && answer.kind === 'accepted')
    assert.equal(await provider.cancel(answer.jobId, NEVER), 'cancelled', name)
  else if (ends === 'film') {
    assert.equal(state?.kind, 'finished', `${name}: ${JSON.stringify([answer, state])}`)
    const film = path.join(folder, `${name}.mp4`)
    await provider.fetch((answer as { jobId: string }).jobId, film, NEVER)
    assert.ok((await probeMp4(film)).duration > 0.5, name)
  } else assert.match(JSON.stringify(state ?? answer), ends)
  await provider.discard(request.taskId)
}

async function trySetUp(setup: ReturnType<typeof createComfyuiSetup>): Promise<void> {
  const output = '9'
  const { graph, bindings, fps, ...found } = await setup.inspect(GRAPHS.mp4!.graph, NEVER)
  assert.deepEqual([found.faults, found.output], [[], output])
  assert.equal(bindings.prompt, BINDINGS.prompt)
  const draft = { graph, bindings, output, fps }
  const id = await setup.test(draft, { prompt: MARK, resolution: '480P', seconds: 1 }, NEVER)
  for (;;) {
    const { state, detail } = await setup.testState(id, output, NEVER)
    assert.notEqual(state, 'failed', detail ?? '')
    if (state === 'finished') break
  }
  assert.ok((await setup.picture(id, output, fps, NEVER)).length > 1_000)
}

/** Returns the entries of the server's history that contain a prompt of this test. */
async function ownHistory(baseUrl: string): Promise<string[]> {
  const history = (await (await fetch(`${baseUrl}/history`)).json()) as Record<string, unknown>
  return Object.entries(history).flatMap(([id, entry]) => (JSON.stringify(entry).includes(MARK) ? [id] : []))
}
