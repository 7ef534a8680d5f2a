import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { eventually } from '../../testing/eventually.ts'
import { freePort } from '../../testing/freePort.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { TestUser } from '../../testing/testUser.ts'
import { signedHeaders } from '../../webhooks/signature.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** Returns the blocks of code of the page for programs, by their language. */
function blocksOf(language: 'en' | 'zh') {
  const page = readFileSync(path.join(ROOT, `content/${language}/docs/programs.md`), 'utf8')
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, name = '', code = '']) => ({ name, code }))
  const [settings, curl, client, python, sdk, receiver, pythonReceiver, suite, ...others] = blocks
  expect(others).toEqual([])
  return { settings, curl, client, python, sdk, receiver, pythonReceiver, suite }
}

let kinora: TestKinora
let user: TestUser
let folder: string
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-programs-'))
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  kinora = await startTestKinora({
    provider: await createProviderDouble(),
    env: { WEBHOOK_PRIVATE_HOSTS: 'localhost' },
  })
  user = await kinora.newUser()
  await kinora.services.credits.adjust(
    user.userId,
    { adjustmentId: crypto.randomUUID(), amount: 300, reason: 'quick starts' },
    { commandId: crypto.randomUUID(), actor: 'operator:test', correlationId: crypto.randomUUID() },
  )
  const settings = { name: 'Quick start', scopes: ['videos:write' as const, 'videos:read' as const] }
  const { key } = await kinora.services.apiKeys.create(user.userId, { ...settings, expires_in_days: null })
  env = { ...process.env, KINORA_URL: kinora.url, KINORA_API_KEY: key }
})
afterAll(async () => {
  await kinora?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a quick start as it is printed, and returns the size of the film that it saved. */
async function tryOut(block: { code: string } | undefined, file: string, command: string): Promise<number> {
  const [text, film] = [path.join(folder, file), path.join(folder, 'fox.mp4')]
  rmSync(film, { force: true })
  writeFileSync(text, block?.code ?? '')
  await run(command, [text], { cwd: folder, env })
  return statSync(film).size
}

const hasPython = spawnSync('python3', ['-c', 'import openai']).status === 0
const hasPlainPython = spawnSync('python3', ['--version']).status === 0

/** Starts a receiver as it is printed, sends it a test, and forged and old webhooks. Returns its answers and its output. */
async function tryReceiver(block: { code: string } | undefined, file: string, command: string) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const order = { name: file, url, event_types: ['video.completed'] }
  const made = await user.call('POST', '/webhook_endpoints', order)
  const { id, signing_secret: secret } = (await made.json()) as { id: string; signing_secret: string }
  const text = path.join(folder, file)
  writeFileSync(text, block?.code ?? '')
  const output: string[] = []
  const program = spawn(command, [text], { env: { ...env, PORT: String(port), KINORA_WEBHOOK_SECRET: secret } })
  program.stdout.on('data', (line) => output.push(String(line)))
  const post = async (body: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', headers, body })).status
  try {
    const body = '{"type":"video.completed","data":{}}'
    const right = signedHeaders([secret], 'msg_1', Date.now(), body)
    await eventually(async () => expect(await post(body, right)).toBe(204))
    const test = await user.call('POST', `/webhook_endpoints/${id}/test`, {})
    const { status_code } = (await test.json()) as { status_code: number }
    const old = signedHeaders([secret], 'msg_1', Date.now() - 301_000, body)
    const other = { ...right, 'webhook-signature': `v1,none v2,${right['webhook-signature'].slice(3)} \u00e9` }
    const refused = [
      await post(`${body} `, right),
      await post(body, old),
      await post(body, other),
      await post(body, {}),
    ]
    await eventually(() => expect(output.join('')).toContain('ping'))
    return { status_code, refused }
  } finally {
    program.kill()
  }
}

describe('the quick starts for programs', () => {
  it('have the same code in both languages', () => {
    expect(blocksOf('zh')).toEqual(blocksOf('en'))
  })

  it('work with curl', async () => {
    expect(await tryOut(blocksOf('en').curl, 'start.sh', 'bash')).toBeGreaterThan(1_000)
  })

  it('work with the official client for JavaScript', async () => {
    expect(await tryOut(blocksOf('en').client, 'client.mjs', process.execPath)).toBeGreaterThan(1_000)
  })

  it('work with the AI SDK', async () => {
    expect(await tryOut(blocksOf('en').sdk, 'sdk.mjs', process.execPath)).toBeGreaterThan(1_000)
  })

  const VERIFIES = { status_code: 204, refused: [400, 400, 400, 400] }
  it('verify webhooks in JavaScript', async () => {
    expect(await tryReceiver(blocksOf('en').receiver, 'receiver.mjs', process.execPath)).toEqual(VERIFIES)
  })

  it.skipIf(!hasPlainPython)(`verify webhooks in Python${hasPlainPython ? '' : ' (there is none here)'}`, async () => {
    expect(await tryReceiver(blocksOf('en').pythonReceiver, 'receiver.py', 'python3')).toEqual(VERIFIES)
  })

  it.skipIf(!hasPython)(
    `work with the official client for Python${hasPython ? '' : ' (needs the Python package openai; npm run test:real)'}`,
    async () => {
      expect(await tryOut(blocksOf('en').python, 'start.py', 'python3')).toBeGreaterThan(1_000)
    },
  )
})
