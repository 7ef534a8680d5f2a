import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import { startVideosApiDouble } from '#backend/providers/video/videosApi/testing/videosApiDouble.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { startTestKinora } from '#backend/testing/testKinora.ts'
import { runCases, type Target } from './cases.ts'

const KEY = 'sk-of-a-test'

/** Starts Kinora, and makes an API key of a user with credits. */
async function startServer(options: Parameters<typeof startTestKinora>[0]) {
  const kinora = await startTestKinora(options)
  onTestFinished(() => kinora.close())
  const { userId } = await kinora.newUser()
  await kinora.services.credits.adjust(
    userId,
    { adjustmentId: crypto.randomUUID(), amount: 3_000, reason: 'conformance' },
    { commandId: crypto.randomUUID(), actor: 'operator:test', correlationId: crypto.randomUUID() },
  )
  const settings = { name: 'Suite', scopes: ['videos:write' as const, 'videos:read' as const], expires_in_days: null }
  return { url: kinora.url, key: (await kinora.services.apiKeys.create(userId, settings)).key }
}

/** Runs the suite. Returns the results of the cases that did not pass. */
async function othersThanPassed(target: Target): Promise<Record<string, string>> {
  const others: Record<string, string> = {}
  for await (const { name, result, reason } of runCases(target))
    if (result !== 'passed' && reason !== 'the video was finished already') others[name] = `${result}: ${reason}`
  return others
}

/** What Kinora does not offer. */
const NO_REMIX = {
  'remixes a video, or answers 404': expect.stringMatching(/^skipped: 404 No engine here changes a finished video/),
}

it('Kinora passes every case but the remix', { timeout: 600_000 }, async () => {
  const { url, key } = await startServer({ provider: await createProviderDouble() })
  expect(await othersThanPassed({ url: `${url}/v1`, key, model: 'MiniMax-Hailuo-02', seconds: '6' })).toEqual(NO_REMIX)
})

// In `npm test`, videosApi.int.spec.ts proves the adapter with doubles of other engines.
it.runIf(FULL)('Kinora with another Kinora as its engine passes the same cases', { timeout: 600_000 }, async () => {
  const engine = await startServer({ provider: await createProviderDouble() })
  const front = await startServer({ env: { VIDEOS_API_URL: engine.url, VIDEOS_API_KEY: engine.key, DEMO: 'off' } })
  const answer = await fetch(`${front.url}/v1/models`, { headers: { authorization: `Bearer ${front.key}` } })
  const { data } = (await answer.json()) as { data: { id: string; offers: { task_types: string[] }[] }[] }
  const model = data.find(({ offers }) => offers.some(({ task_types }) => task_types.includes('T2V')))
  expect(await othersThanPassed({ url: `${front.url}/v1`, key: front.key, model: model!.id })).toEqual(NO_REMIX)
})

/** What both engines do otherwise, or not at all. Their doubles are compared with recordings of the real programs. */
const ENGINES_DO_NOT = {
  'sends every field of a video, also those that are null': /^failed: .*remixed_from_video_id/,
  'serves a range of the film': /^skipped/,
  'serves the still': /^skipped/,
  'lists videos by pages in both orders': /^failed/,
  'refuses an order without a prompt, or with a wrong length or size, with 400 and the field': /^failed/,
  'has one form for errors': /^failed/,
  'makes one video for one Idempotency-Key': /^skipped/,
  'makes one video if the client says that it repeats itself': /^skipped/,
  'remixes a video, or answers 404': /^skipped/,
}

it.each([
  ['vllm-omni', 'creates a video by JSON, with a length in digits'],
  ['sglang', 'deletes a video'],
] as const)('the double of %s passes the cases that the engine claims', async (personality, missing) => {
  const double = await startVideosApiDouble({ personality, apiKey: KEY })
  onTestFinished(() => double.close())
  const others = await othersThanPassed({ url: `${double.url}/v1`, key: KEY, model: double.model })
  const expected = Object.entries({ ...ENGINES_DO_NOT, [missing]: /^failed/ })
  expect(others).toEqual(Object.fromEntries(expected.map(([name, form]) => [name, expect.stringMatching(form)])))
})

it('the command prints a line for each case, and ends with 1 if one failed', async () => {
  const double = await startVideosApiDouble({ personality: 'sglang', apiKey: KEY })
  onTestFinished(() => double.close())
  const script = path.join(import.meta.dirname, 'conformance.ts')
  const env = { ...process.env, CONFORMANCE_KEY: KEY }
  const run = promisify(execFile)(process.execPath, [script, '--url', `${double.url}/v1`, '--model', double.model], {
    env,
  })
  const { code, stdout } = await run.catch((error) => error)
  expect(code).toBe(1)
  expect(stdout).toContain('passed: creates a video by a form\n')
  expect(stdout).toMatch(/^failed: sends every field of a video, also those that are null \(.+\)$/m)
  expect(stdout).toMatch(/^skipped: /m)
})
