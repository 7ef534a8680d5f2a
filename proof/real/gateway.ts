import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { NEVER, newRequest } from '#backend/providers/video/testing/videoProviderContract.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { answers, finish, MODELS, openProvider, PROGRAMS, startEngine } from './engines.ts'
import type { Part, PartContext } from './part.ts'
import { preparePython } from './python.ts'
import { stop } from './server.ts'

const VERSION = '1.108.7'
const KEY = 'sk-of-a-test'

/** LiteLLM's proxy between Kinora and vLLM-Omni. */
export const GATEWAY_PARTS: readonly Part[] = [{ name: 'LiteLLM', run: tryGateway }]

async function tryGateway({ folder, cache }: PartContext): Promise<string> {
  // Its packages have other versions than those of the engines.
  const { python } = await preparePython(path.join(cache, 'litellm'), [`litellm[proxy]==${VERSION}`], [])
  const model = MODELS[1]
  const { url, process: engine } = await startEngine(PROGRAMS[0], model, { folder, cache })
  const port = await freePort()
  const behind = { model: `hosted_vllm/${model}`, api_base: `${url}/v1`, api_key: 'none' }
  const models = [
    { model_name: model, litellm_params: behind, model_info: { mode: 'video_generation' } },
    { model_name: 'gpt-4o-mini', litellm_params: { model: 'openai/gpt-4o-mini', api_key: 'none' } },
  ]
  const config = path.join(folder, 'litellm.yaml')
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ model_list: models, general_settings: { master_key: KEY } }))
  const program = path.join(path.dirname(python), 'litellm')
  const gateway = spawn(program, ['--config', config, '--port', String(port), '--host', '127.0.0.1'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const { provider, close } = await openProvider(`http://127.0.0.1:${port}`, KEY)
  try {
    await answers(engine, `${url}/health`)
    await answers(gateway, `http://127.0.0.1:${port}/health/liveliness`)
    const offered = await provider.models!(NEVER)
    assert.deepEqual(
      offered.map(({ id }) => id),
      [model],
    )
    const resolution = offered[0]!.shapes[0]!.resolutions.at(-1)!
    const usual = { providerModel: model, resolution, duration: 5, cameraMovements: [], prompt: 'A cat' }
    await finish(provider, newRequest(usual), path.join(folder, 'made.mp4'))
    return VERSION
  } finally {
    await close()
    await Promise.all([gateway, engine].map((child) => stop(child)))
  }
}
