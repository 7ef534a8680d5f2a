import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DefinitionDouble,
  DOUBLE_KEY,
  startDefinitionDouble,
} from '../providers/video/definitions/testing/definitionDouble.ts'
import { shippedDefinitions } from '../providers/video/definitions/testing/shippedDefinitions.ts'
import { startVideosApiDouble, type VideosApiDouble } from '../providers/video/videosApi/testing/videosApiDouble.ts'
import { runProviders } from './providers.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-providers-'))
let fal: DefinitionDouble
let engine: VideosApiDouble

beforeAll(async () => {
  fal = await startDefinitionDouble(shippedDefinitions().find(({ name }) => name === 'fal')!)
  engine = await startVideosApiDouble({ apiKey: 'sk-engine' })
  mkdirSync(path.join(dataDir, 'providers'))
  writeFileSync(path.join(dataDir, 'providers/fal.json'), JSON.stringify(fal.definition))
})
afterAll(async () => {
  await fal.close()
  await engine.close()
  rmSync(dataDir, { recursive: true })
})

async function providers(args: string[], env: Record<string, string> = {}) {
  const lines: string[] = []
  const code = await runProviders(args, { NODE_ENV: 'test', DATA_DIR: dataDir, ...env }, (text) => lines.push(text))
  return { code, text: lines.join('\n') }
}
const KEYS = () => ({ FAL_KEY: DOUBLE_KEY, VIDEOS_API_URL: engine.url, VIDEOS_API_KEY: 'sk-engine' })

describe('npm run providers', () => {
  it('lists what is configured, the models with their routes, and the settings of what is not', async () => {
    const { code, text } = await providers([], KEYS())
    expect(code).toBe(0)
    expect(text).toMatch(/^Configured: .*videos-api.*fal/)
    expect(text).toContain('fal-kling-2.5-turbo-pro: fal (fal-ai/kling-video/v2.5-turbo/pro)')
    expect(text).toContain('replicate (Replicate): set REPLICATE_API_TOKEN')
  })

  it('previews the request with the key masked and tries the connection, without making a video', async () => {
    const { code, text } = await providers(['check', 'fal'], KEYS())
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(/^POST [^\n]*\n[\s\S]*Authorization: Key ••••[\s\S]*\nok: fal answers/),
    ])
    expect(text).not.toContain(DOUBLE_KEY)
    expect(fal.jobs.size).toBe(0)
  })

  it('tries the connection of an adapter', async () => {
    expect(await providers(['check', 'videos-api'], KEYS())).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^ok: /),
    })
    const wrong = { ...KEYS(), VIDEOS_API_KEY: 'wrong', FAL_KEY: 'wrong' }
    for (const name of ['videos-api', 'fal'])
      expect(await providers(['check', name], wrong)).toMatchObject({
        code: 1,
        text: expect.stringMatching(/failed: .*401/),
      })
  })

  it('reads a pasted answer with the paths of the definition', async () => {
    const file = path.join(dataDir, 'answer.json')
    writeFileSync(file, JSON.stringify({ status: 'COMPLETED', error: 'x', error_type: 'request_timeout' }))
    const { code, text } = await providers(['check', 'fal', '--answer', file])
    expect([code, text]).toEqual([0, expect.stringMatching(/error_type: "request_timeout"\nok: \{"kind":"failed"/)])
    writeFileSync(file, '{"id":"1"}')
    expect(await providers(['check', 'fal', '--answer', file, '--of', 'create'])).toMatchObject({ code: 1 })
  })

  it('names what is missing', async () => {
    expect(await providers(['check', 'fal'])).toMatchObject({
      code: 1,
      text: expect.stringContaining('FAL_KEY is not set'),
    })
    for (const args of [
      ['check'],
      ['check', 'nobody'],
      ['make'],
      ['check', 'fal', '--model', 'x'],
      ['check', 'demo', '--answer', 'x'],
    ])
      expect(await providers(args, KEYS())).toMatchObject({
        code: 2,
        text: expect.stringContaining('npm run providers'),
      })
  })
})
