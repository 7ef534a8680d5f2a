import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '#backend/testing/freePort.ts'
import { buyPlan } from '#backend/testing/plans.ts'
import { startProgram } from '#backend/testing/program.ts'
import { GENERATION, registerUser, type TestUser } from '#backend/testing/testUser.ts'
import { signedHeaders } from '#backend/webhooks/signature.ts'
import { startReceiverDouble } from '#backend/webhooks/testing/receiverDouble.ts'
import { runCases, type Target } from '../conformance/cases.ts'
import { answers } from './engines.ts'
import { startKinora } from './journey.ts'
import type { Part, PartContext } from './part.ts'
import { preparePython } from './python.ts'
import { stop } from './server.ts'

const run = promisify(execFile)
const OPENAI = '3.57.0'
const STANDARD_WEBHOOKS = '1.1.0'
const LITELLM = '1.108.7'
const MASTER_KEY = 'sk-of-a-test'

/** What LiteLLM itself does otherwise. */
const GATEWAY_DOES_NOT = [
  'sends every field of a video',
  'lists videos by pages',
  'refuses a wrong key with 401',
  'answers 404 for a video',
  'refuses an order without a prompt',
  'has one form for errors',
  'takes a picture as a file',
  'deletes a video',
]

/** Programs that call Kinora with an API key. */
export const PROGRAM_PARTS: readonly Part[] = [
  { name: 'openai for Python', run: tryPython },
  { name: 'webhook verifiers for Python', run: tryVerifiers },
  { name: 'LiteLLM in front of Kinora', run: tryGateway },
  { name: 'Kinora behind Kinora', run: tryKinora },
]

/** Starts Kinora, and makes an API key of a user with a plan. */
async function openDoor(folder: string) {
  const kinora = await startKinora({ DATA_DIR: path.join(folder, 'kinora') })
  const user = await registerUser(kinora.url)
  await buyPlan(kinora, user, 'ultimate')
  const key = await makeKey(user)
  return { kinora, user, key, [Symbol.asyncDispose]: () => kinora[Symbol.asyncDispose]() }
}

async function makeKey(user: TestUser): Promise<string> {
  const order = { name: 'Real programs', scopes: ['videos:write', 'videos:read'], password: 'correct horse' }
  return ((await (await user.call('POST', '/keys', order)).json()) as { key: string }).key
}

/** Runs the suite against a server. Returns a line for each case that failed. */
async function failures(target: Target): Promise<string[]> {
  const failed: string[] = []
  for await (const { name, result, reason } of runCases(target))
    if (result === 'failed') failed.push(`${name}: ${reason}`)
  return failed
}

async function tryPython({ folder, cache }: PartContext): Promise<string> {
  const { python } = await preparePython(path.join(cache, 'openai'), [`openai==${OPENAI}`], [])
  await using door = await openDoor(folder)
  const script = path.join(import.meta.dirname, 'engines/openaiClient.py')
  const { stdout } = await run(python, [script, `${door.kinora.url}/v1`, door.key, GENERATION.model])
  assert.equal(stdout.trim(), 'done')
  return OPENAI
}

/** Lets the official libraries judge a delivery, changed ones, and those of five minutes ago. */
async function tryVerifiers({ folder, cache }: PartContext): Promise<string> {
  const packages = [`openai==${OPENAI}`, `standardwebhooks==${STANDARD_WEBHOOKS}`]
  const { python } = await preparePython(path.join(cache, 'verifiers'), packages, [])
  const receiver = await startReceiverDouble()
  try {
    await using kinora = await startKinora({ DATA_DIR: folder, WEBHOOK_PRIVATE_HOSTS: 'localhost' })
    const user = await registerUser(kinora.url)
    const order = { name: 'Verifiers', url: receiver.url, event_types: ['video.completed'] }
    const made = await user.call('POST', '/webhook_endpoints', order)
    const { signing_secret: secret } = (await made.json()) as { signing_secret: string }
    await user.call('POST', '/videos/generate', GENERATION)
    while (receiver.received.length === 0) await delay(100)
    const { body, headers } = receiver.received[0]!
    const agedBy = (seconds: number) =>
      signedHeaders([secret], headers['webhook-id'], Date.now() - seconds * 1_000, body)
    const webhooks = [
      { secret, body, headers },
      { secret, body: body.replace('completed', 'completec'), headers },
      { secret, body, headers: { ...headers, 'webhook-id': `${headers['webhook-id'].slice(0, -1)}.` } },
      { secret, body, headers: agedBy(280) },
      { secret, body, headers: agedBy(301) },
    ]
    const program = spawn(python, [path.join(import.meta.dirname, 'engines/webhookVerifiers.py')])
    program.stdin.end(JSON.stringify(webhooks))
    const output = Buffer.concat(await program.stdout.toArray()).toString()
    const refused = ['WebhookVerificationError', 'InvalidWebhookSignatureError']
    const accepted = ['accepted', 'accepted']
    assert.deepEqual(JSON.parse(output), [accepted, refused, refused, accepted, refused])
    return `standardwebhooks ${STANDARD_WEBHOOKS}, openai ${OPENAI}`
  } finally {
    receiver.close()
  }
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
  const gateway = spawn(path.join(path.dirname(python), 'litellm'), args, { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    await answers(gateway, `http://127.0.0.1:${port}/health/liveliness`)
    const failed = await failures({ url: `http://127.0.0.1:${port}/v1`, key: MASTER_KEY, model: GENERATION.model })
    assert.deepEqual(
      failed.filter((line) => !GATEWAY_DOES_NOT.some((name) => line.startsWith(name))),
      [],
    )
    return LITELLM
  } finally {
    await stop(gateway)
  }
}

/** One installation is the engine of another. */
async function tryKinora({ folder }: PartContext): Promise<string> {
  await using engine = await openDoor(folder)
  const settings = { VIDEOS_API_URL: engine.kinora.url, VIDEOS_API_KEY: engine.key, DEMO: 'off' }
  const front = await startProgram({ PORT: '0', DATA_DIR: path.join(folder, 'front'), ...settings })
  await using _ = { [Symbol.asyncDispose]: async () => void (await front.stop()) }
  const user = await registerUser(front.url)
  await buyPlan(front, user, 'ultimate')
  const key = await makeKey(user)
  const answer = await fetch(`${front.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  const { data } = (await answer.json()) as { data: { id: string; offers: { task_types: string[] }[] }[] }
  const model = data.find(({ offers }) => offers.some(({ task_types }) => task_types.includes('T2V')))
  assert.ok(model, 'a model that needs no picture')
  assert.deepEqual(await failures({ url: `${front.url}/v1`, key, model: model.id }), [])
  return 'of this tree'
}
