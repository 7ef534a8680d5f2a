import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** Returns the blocks of code of the page for programs, by their language. */
function blocksOf(language: 'en' | 'zh') {
  const page = readFileSync(path.join(ROOT, `content/${language}/docs/programs.md`), 'utf8')
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, name = '', code = '']) => ({ name, code }))
  const [settings, curl, client, python, sdk, suite, ...others] = blocks
  expect(others).toEqual([])
  return { settings, curl, client, python, sdk, suite }
}

let kinora: TestKinora
let folder: string
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-programs-'))
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  kinora = await startTestKinora({ provider: await createProviderDouble() })
  const user = await kinora.newUser()
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

  it.skipIf(!hasPython)(
    `work with the official client for Python${hasPython ? '' : ' (needs the Python package openai; npm run test:real)'}`,
    async () => {
      expect(await tryOut(blocksOf('en').python, 'start.py', 'python3')).toBeGreaterThan(1_000)
    },
  )
})
