import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { createGuard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { findFfmpeg, runFfmpeg } from '#backend/kernel/media/ffmpeg.ts'
import { probeMp4 } from '#backend/kernel/media/probeMp4.ts'
import { createOperatorAlerts } from '#backend/operators/alerts/operatorAlerts.ts'
import { answerOf, NEVER, newRequest } from '#backend/providers/video/testing/videoProviderContract.ts'
import { recordAnswers } from '#backend/providers/video/videosApi/testing/recordedCalls.ts'
import { createVideosApi } from '#backend/providers/video/videosApi/videosApi.ts'
import { type CatalogueModel, generationOf } from '#backend/tasks/contract.ts'
import type { RenderRequest, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { type Part, type PartContext, Skipped } from './part.ts'
import { preparePython } from './python.ts'
import { hasEnded, stop } from './server.ts'

const PACKAGES = ['fastapi', 'uvicorn', 'python-multipart', 'pydantic', 'numpy', 'pillow', 'httpx', 'msgspec']
export const PROGRAMS = [
  { name: 'vLLM-Omni', wheel: 'vllm-omni==0.30.0', server: 'vllmOmni.py', cancels: true },
  { name: 'SGLang', wheel: 'sglang==0.5.23', server: 'sglang.py', cancels: false },
] as const
const RECORDINGS = path.resolve(import.meta.dirname, '../../backend/providers/video/videosApi/testing/recordings')
type Program = (typeof PROGRAMS)[number]
export const MODELS = [
  'MiniMaxAI/MiniMax-H3',
  'Wan-AI/Wan2.2-TI2V-5B-Diffusers',
  'Wan-AI/Wan2.2-I2V-A14B-Diffusers',
  'Qwen/Qwen-Image',
] as const
/** It makes pictures, which is no use to Kinora. */
const PICTURES = MODELS[3]

/** The HTTP layers of video engines, from their wheels, with a stub in place of the model. */
export const ENGINES: readonly Part[] = PROGRAMS.flatMap((program) =>
  MODELS.map((model) => ({
    name: `${program.name} with ${model.split('/')[1]}`,
    run: (context: PartContext) => tryEngine(program, model, context),
  })),
)

async function tryEngine(program: Program, model: string, { folder, cache, record }: PartContext): Promise<string> {
  const { url, process: engine, version } = await startEngine(program, model, { folder, cache })
  const { provider, close } = await openProvider(url)
  try {
    await answers(engine, `${url}/health`)
    if (model === MODELS[0])
      compare(path.join(RECORDINGS, `${program.name.toLowerCase()}.json`), version, await recordAnswers(url), record)
    if (model === PICTURES) await isNotOffered(provider)
    else await order(provider, program, model, folder)
    return version
  } finally {
    await close()
    await stop(engine)
  }
}

/** Starts the HTTP layer of an engine. */
export async function startEngine(
  program: Program,
  model: string,
  { folder, cache }: Pick<PartContext, 'folder' | 'cache'>,
) {
  const { python, wheels } = await preparePython(
    cache,
    PACKAGES,
    PROGRAMS.map(({ wheel }) => wheel),
  )
  if ((await findFfmpeg()) !== 'ffmpeg')
    throw new Skipped('the stub draws with an ffmpeg on PATH, of which there is none')
  const [name, version] = program.wheel.split('==') as [string, string]
  const port = await freePort()
  const server = path.join(import.meta.dirname, 'engines', program.server)
  const process = spawn(python, [server, wheels[name]!, String(port), model, folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return { url: `http://127.0.0.1:${port}`, process, version }
}

/** Opens the adapter for a server, with a database of its own. */
export async function openProvider(baseUrl: string, apiKey?: string) {
  const db = await startTemporaryDatabase()
  const log = pino({ level: 'silent' })
  const alerts = createOperatorAlerts(db.pool, log)
  const common = { guard: createGuard(), pool: db.pool, log, alerts, timing: { pollIntervalMs: 100 } }
  const provider = createVideosApi({ ...common, baseUrl, apiKey, models: undefined })
  const close = async () => {
    await provider.close()
    await db.close()
  }
  return { provider, close }
}

/** Waits until a program answers. @throws Error with what it has said, if it ends before */
export async function answers(engine: ChildProcess, url: string): Promise<void> {
  const said: string[] = []
  engine.stderr?.on('data', (text) => said.push(String(text)))
  for (;;) {
    if (hasEnded(engine)) throw new Error(`it ended with ${engine.exitCode ?? engine.signalCode}: ${said.join('')}`)
    const ok = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    )
    if (ok) return
    await delay(100)
  }
}

/** Compares the answers to the recorded calls with those of the last recording, or records them. */
export function compare(file: string, version: string, answers: object, record: boolean): void {
  const text = `${JSON.stringify({ version, answers }, null, 2)}\n`
  if (record) writeFileSync(file, text)
  else assert.deepEqual(JSON.parse(text), JSON.parse(readFileSync(file, 'utf8')))
}

async function isNotOffered(provider: VideoProvider): Promise<void> {
  assert.deepEqual(await provider.models!(NEVER), [])
  const { ok, detail } = await provider.check(NEVER)
  assert.deepEqual([ok, detail.includes(PICTURES)], [false, true], detail)
}

/** Fields that are refused before anything is held or ordered, because the model does not take them. */
function refusedFields(offered: CatalogueModel, text: object): string[] {
  const common = { model: offered.id, prompt: 'A cat', duration: 5, resolution: offered.shapes[0]!.resolutions[0] }
  const read = generationOf(() => [offered]).safeParse({ ...common, task_type: 'image_to_video', ...text })
  return (read.error?.issues ?? []).map(({ message }) => message)
}

/** Orders what the catalogue offers of a model, and what must be refused. */
async function order(provider: VideoProvider, program: Program, model: string, folder: string): Promise<void> {
  const [offered] = await provider.models!(NEVER)
  if (offered?.id !== model) throw new Error(`the model ${model} is not offered`)
  const picture = path.join(folder, 'picture.jpg')
  await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc=size=960x540', '-frames:v', '1', '-y', picture])
  const resolution = offered.shapes[0]!.resolutions.at(-1)!
  const usual = {
    ...{ providerModel: model, resolution, duration: 5, cameraMovements: [] },
    prompt: 'A cat\non a hill',
  }
  const { taskTypes } = offered.shapes[0]!
  assert.equal(taskTypes.includes('text_to_video'), model !== MODELS[2])
  const frame = { first_frame_image_url: '/a.jpg' }
  assert.deepEqual(refusedFields(offered, frame), [])
  assert.deepEqual(
    refusedFields(offered, { ...frame, negative_prompt: 'blur' }),
    model === MODELS[0] ? ['negative_prompt_not_for_model'] : [],
  )
  const both = offered.inputs.lastFrame ? [{ firstFrame: picture, lastFrame: picture }] : []
  const seeds = offered.negativePrompt ? [{ seed: 7, negativePrompt: 'blur' }] : [{ seed: 7 }]
  // Which checkpoints a server has is not in its answers, so that only a file of the operator offers references.
  const references = model === MODELS[0] ? [{ references: [picture, picture], aspectRatio: '9:16' }] : []
  const texts = taskTypes.includes('text_to_video') ? [{}, { aspectRatio: '9:16' }] : []
  const needed = texts.length > 0 ? {} : { firstFrame: picture }
  for (const more of [...texts, { firstFrame: picture }, ...both, ...seeds, ...references])
    await finish(provider, newRequest({ ...usual, ...needed, ...more }), path.join(folder, 'made.mp4'))
  await fail(provider, newRequest({ ...usual, ...needed, prompt: 'OUT OF MEMORY' }))
  await cancel(provider, newRequest({ ...usual, ...needed, prompt: 'SLOW' }), program)
}

async function start(provider: VideoProvider, request: RenderRequest): Promise<string> {
  const answer = await provider.create(request)
  if (answer.kind !== 'accepted') throw new Error(`${describe(request)}: ${JSON.stringify(answer)}`)
  return answer.jobId
}

/** Orders a video, waits for it and reads the file. */
export async function finish(provider: VideoProvider, request: RenderRequest, file: string): Promise<void> {
  const jobId = await start(provider, request)
  const state = await answerOf(provider, jobId)
  if (state.kind !== 'finished') throw new Error(`${describe(request)}: ${JSON.stringify(state)}`)
  await provider.fetch(jobId, file, NEVER)
  const { duration } = await probeMp4(file)
  if (Math.abs(duration - request.duration) > 1) throw new Error(`${describe(request)}: the video has ${duration} s`)
}

async function fail(provider: VideoProvider, request: RenderRequest): Promise<void> {
  const state = await answerOf(provider, await start(provider, request))
  if (state.kind !== 'failed' || !state.detail.includes('out of memory'))
    throw new Error(`${describe(request)}: ${JSON.stringify(state)}`)
}

async function cancel(provider: VideoProvider, request: RenderRequest, { cancels }: Program): Promise<void> {
  const answer = await provider.cancel(await start(provider, request), NEVER)
  if (answer !== (cancels ? 'cancelled' : 'unsupported')) throw new Error(`cancelling was answered with ${answer}`)
}

const describe = ({ prompt, aspectRatio, firstFrame, lastFrame, negativePrompt, references }: RenderRequest) =>
  JSON.stringify({
    ...{ prompt, aspectRatio, negativePrompt, references: references.length },
    pictures: [firstFrame, lastFrame].filter(Boolean).length,
  })
