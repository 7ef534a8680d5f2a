import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import OpenAI from 'openai'
import type { ModelView, Task } from '#backend/tasks/contract.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { buyPlan } from '#backend/testing/plans.ts'
import { startProgram } from '#backend/testing/program.ts'
import { GENERATION, registerUser } from '#backend/testing/testUser.ts'
import { answers } from './engines.ts'
import { startKinora } from './journey.ts'
import type { Part, PartContext } from './part.ts'
import { preparePython } from './python.ts'

const run = promisify(execFile)
const OPENAI = '3.57.0'
const LITELLM = '1.108.7'
const MASTER_KEY = 'sk-of-a-test'
const ORDER = { model: GENERATION.model as never, prompt: 'A cat on a hill', seconds: '6' as never }

/** Programs that call Kinora with an API key. */
export const PROGRAM_PARTS: readonly Part[] = [
  { name: 'openai for Python', run: tryPython },
  { name: 'LiteLLM in front of Kinora', run: tryGateway },
  { name: 'Kinora behind Kinora', run: tryKinora },
]

/** Starts Kinora, and makes an API key of a user with a plan. */
async function openDoor(folder: string) {
  const kinora = await startKinora({ DATA_DIR: path.join(folder, 'kinora') })
  const user = await registerUser(kinora.url)
  await buyPlan(kinora, user, 'ultimate')
  const order = { name: 'Real programs', scopes: ['videos:write', 'videos:read'], password: 'correct horse' }
  const { key } = (await (await user.call('POST', '/keys', order)).json()) as { key: string }
  return { kinora, user, key, [Symbol.asyncDispose]: () => kinora[Symbol.asyncDispose]() }
}

async function tryPython({ folder, cache }: PartContext): Promise<string> {
  const { python } = await preparePython(path.join(cache, 'openai'), [`openai==${OPENAI}`], [])
  await using door = await openDoor(folder)
  const script = path.join(import.meta.dirname, 'engines/openaiClient.py')
  const { stdout } = await run(python, [script, `${door.kinora.url}/v1`, door.key, GENERATION.model])
  assert.equal(stdout.trim(), 'done')
  return OPENAI
}

async function tryGateway({ folder, cache }: PartContext): Promise<string> {
  const { python } = await preparePython(path.join(cache, 'litellm'), [`litellm[proxy]==${LITELLM}`], [])
  await using door = await openDoor(folder)
  const port = await freePort()
  const behind = { model: `openai/${GENERATION.model}`, api_base: `${door.kinora.url}/v1`, api_key: door.key }
  const config = path.join(folder, 'litellm.yaml')
  const models = [{ model_name: GENERATION.model, litellm_params: behind, model_info: { mode: 'video_generation' } }]
  writeFileSync(config, JSON.stringify({ model_list: models, general_settings: { master_key: MASTER_KEY } }))
  const args = ['--config', config, '--port', String(port), '--host', '127.0.0.1']
  const gateway = spawn(path.join(path.dirname(python), 'litellm'), args, { stdio: 'ignore' })
  try {
    await answers(gateway, `http://127.0.0.1:${port}/health/liveliness`)
    const client = new OpenAI({ apiKey: MASTER_KEY, baseURL: `http://127.0.0.1:${port}/v1` })
    let video = await client.videos.create(ORDER)
    for (; video.status !== 'completed'; video = await client.videos.retrieve(video.id)) {
      assert.notEqual(video.status, 'failed', video.error?.message)
      await delay(500)
    }
    const film = await (await client.videos.downloadContent(video.id)).arrayBuffer()
    assert.equal(Buffer.from(film).toString('latin1', 4, 8), 'ftyp')
    const { total } = (await (await door.user.call('GET', '/videos/tasks')).json()) as { total: number }
    assert.equal(total, 1)
    return LITELLM
  } finally {
    gateway.kill()
    if (gateway.exitCode === null) await once(gateway, 'exit')
  }
}

/** One installation is the engine of another. */
async function tryKinora({ folder }: PartContext): Promise<string> {
  await using engine = await openDoor(folder)
  const settings = { VIDEOS_API_URL: engine.kinora.url, VIDEOS_API_KEY: engine.key, DEMO: 'off' }
  const front = await startProgram({ PORT: '0', DATA_DIR: path.join(folder, 'front'), ...settings })
  await using _ = { [Symbol.asyncDispose]: async () => void (await front.stop()) }
  const user = await registerUser(front.url)
  const models = (await (await user.call('GET', '/videos/models')).json()) as readonly ModelView[]
  const model = models.find(({ name }) => name === GENERATION.model)
  const cell = model?.costs.find(({ task_types }) => task_types.includes('text_to_video'))
  assert.ok(cell, `a model of the engine among ${models.map(({ name }) => name).join(', ')}`)
  const order = { ...GENERATION, resolution: cell.resolution, duration: cell.duration }
  const answer = (await (await user.call('POST', '/videos/generate', order)).json()) as { task?: Task; detail?: string }
  assert.ok(answer.task, answer.detail)
  for (let { task } = answer; task.status !== 'Success'; await delay(300)) {
    task = (await (await user.call('GET', `/videos/tasks/${task.id}`)).json()) as Task
    assert.notEqual(task.status, 'Fail', task.error_message ?? undefined)
    if (task.status === 'Success') break
  }
  const { total } = (await (await engine.user.call('GET', '/videos/tasks')).json()) as { total: number }
  assert.equal(total, 1, 'orders at the engine')
  return 'of this tree'
}
