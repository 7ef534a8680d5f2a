import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { REFUSED_ADDRESSES } from '../kernel/http/outgoing/testing/refusedAddresses.ts'
import { WAN } from '../providers/video/comfyui/testing/exampleGraph.ts'
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

const ENV = { NODE_ENV: 'test', WEBHOOK_PRIVATE_HOSTS: '127.0.0.1' }
async function providers(args: string[], env: Record<string, string> = {}) {
  const lines: string[] = []
  const code = await runProviders(args, { ...ENV, DATA_DIR: dataDir, ...env }, (text) => lines.push(text))
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

  it('previews the form of an engine and tries its connection, without making a video', async () => {
    const { code, text } = await providers(['check', 'videos-api'], KEYS())
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(
        /^GET http:[^\n]*\/v1\/models\n[\s\S]*POST http:[^\n]*\/v1\/videos\nauthorization: Bearer ••••\n[\s\S]*\nprompt: A cat [\s\S]*\nok: /,
      ),
    ])
    expect([text.includes('sk-engine'), text.includes(`POST ${engine.url}/v1/videos`), engine.jobs.size]).toEqual([
      ...[false, true, 0],
    ])
  })

  it('previews the form of the program that serves the model', async () => {
    const sglang = await startVideosApiDouble({ personality: 'sglang', model: 'MiniMaxAI/MiniMax-H3' })
    onTestFinished(sglang.close)
    const { text } = await providers(['check', 'videos-api'], { VIDEOS_API_URL: sglang.url })
    expect(text).toMatch(/\ntask: t2va\n[\s\S]*"short_edge":768/)
    expect(text).not.toMatch(/negative_prompt|short_edge: /)
    expect(sglang.jobs.size).toBe(0)
  })

  it('previews the JSON of MiniMax and the graph of ComfyUI', async () => {
    mkdirSync(path.join(dataDir, 'comfyui'), { recursive: true })
    writeFileSync(path.join(dataDir, 'comfyui/wan.json'), JSON.stringify(WAN))
    const env = {
      ...{ MINIMAX_API_KEY: 'sk-minimax', MINIMAX_BASE_URL: 'http://127.0.0.1:9' },
      ...{ COMFYUI_URL: 'http://127.0.0.1:9', COMFYUI_HEADER: 'X-Token: comfy-secret' },
    }
    const [minimax, comfyui] = [await providers(['check', 'minimax'], env), await providers(['check', 'comfyui'], env)]
    expect(minimax.text).toMatch(/^POST http:\/\/127.0.0.1:9\/v1\/video_generation\n[\s\S]*"prompt": "A cat on a hill/)
    expect(comfyui.text).toMatch(/\nPOST http:\/\/127.0.0.1:9\/prompt\nx-token: ••••\n[\s\S]*"text": "A cat on a hill/)
    for (const { code, text } of [minimax, comfyui]) {
      expect(text).not.toMatch(/sk-minimax|comfy-secret/)
      // No server is at this address.
      expect([code, text]).toEqual([1, expect.stringMatching(/\nfailed: /)])
    }
  })

  it.each([
    ['minimax', 'create', { task_id: '7', base_resp: { status_code: 0 } }, 0, /^ok: .*"jobId":"7"/],
    ['minimax', 'create', { base_resp: { status_code: 1026, status_msg: 'sensitive' } }, 0, /^ok: .*content_refused/],
    [
      'minimax',
      'state',
      { task_id: '7', status: 'Success', file_id: '1', base_resp: { status_code: 0 } },
      0,
      /finished/,
    ],
    ['videos-api', 'create', { id: 'video_1', object: 'video', status: 'queued' }, 0, /^ok: .*"jobId":"video_1"/],
    ['videos-api', 'state', { id: 'v', status: 'succeeded', seconds: '5' }, 0, /^ok: {"kind":"finished","seconds":5}/],
    ['comfyui', 'create', { prompt_id: 'x', number: 3, node_errors: {} }, 0, /^ok: .*"jobId"/],
    ['comfyui', 'state', { status: 'in_progress' }, 0, /^ok: {"kind":"rendering"}/],
    ['comfyui', 'state', { nothing: true }, 1, /^failed: ComfyUI answered with an unexpected body/],
  ])('reads an answer with the adapter of %s (%s: %j)', async (name, of, answer, code, text) => {
    mkdirSync(path.join(dataDir, 'comfyui'), { recursive: true })
    writeFileSync(path.join(dataDir, 'comfyui/wan.json'), JSON.stringify(WAN))
    const file = path.join(dataDir, 'answer.json')
    writeFileSync(file, JSON.stringify({ status: 200, body: answer }))
    const env = {
      ...KEYS(),
      MINIMAX_API_KEY: 'sk',
      MINIMAX_BASE_URL: 'http://127.0.0.1:9',
      COMFYUI_URL: 'http://127.0.0.1:9',
    }
    const outcome = await providers(['check', name, '--answer', file, '--of', of], env)
    expect(outcome).toEqual({ code, text: expect.stringMatching(text) })
  })

  it.each(shippedDefinitions().map((definition) => [definition.name, definition] as const))(
    'previews the request of %s, reads its answers and tries the connection',
    async (name, definition) => {
      const double = await startDefinitionDouble(definition)
      onTestFinished(double.close)
      const file = path.join(dataDir, `providers/${name}.json`)
      if (name !== 'fal') onTestFinished(() => rmSync(file))
      if (name !== 'fal') writeFileSync(file, JSON.stringify(double.definition))
      const { variable } = definition.key
      const env = { [variable]: DOUBLE_KEY, ...(definition.baseUrlVariable && { MINIMAX_BASE_URL: double.url }) }
      const checked = await providers(['check', name], env)
      expect([checked.code, checked.text]).toEqual([0, expect.stringMatching(/^POST [\s\S]*\nok: /)])
      const { created, state, refusals } = definition.examples
      const answers = [
        ['create', created, /\nok: /],
        ['state', state.answers.at(-1)!.answer, /finished/],
        ['create', refusals[0]!.answer, new RegExp(refusals[0]!.kind)],
      ] as const
      for (const [of, { status, body }, text] of answers) {
        const pasted = path.join(dataDir, 'pasted.json')
        writeFileSync(pasted, JSON.stringify(body))
        const read = await providers(['check', name, '--answer', pasted, '--of', of, '--status', String(status)], env)
        expect(read.text).toMatch(text)
      }
    },
  )

  it('tries no address of a definition that leads into the network of the server', async () => {
    const file = path.join(dataDir, 'providers/stranger.json')
    onTestFinished(() => rmSync(file))
    const replicate = shippedDefinitions().find(({ name }) => name === 'replicate')!
    for (const baseUrl of REFUSED_ADDRESSES) {
      writeFileSync(file, JSON.stringify({ ...replicate, name: 'stranger', baseUrl }))
      const env = { REPLICATE_API_TOKEN: DOUBLE_KEY, WEBHOOK_PRIVATE_HOSTS: '' }
      const { code, text } = await providers(['check', 'stranger'], env)
      expect([baseUrl, code, text]).toEqual([
        baseUrl,
        1,
        expect.stringMatching(/\nfailed: .*(is not https|has no public address|port \d+ of|has a user or password)/),
      ])
    }
  })

  it('tells a refused key', async () => {
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
