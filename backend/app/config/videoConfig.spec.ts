import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from './readConfig.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-video-config-'))
afterAll(() => rmSync(folder, { recursive: true }))
const read = (env: Record<string, string>) => readConfig({ DATA_DIR: folder, ...env }).video

describe('the settings of video engines', () => {
  it('are off by default', () => {
    expect(read({})).toMatchObject({ minimax: undefined, videosApi: undefined, comfyui: undefined })
  })

  it.each(['http://gpu:8000', 'http://gpu:8000/', 'http://gpu:8000/v1', 'http://gpu:8000/v1/'])(
    'take the part of %s before /v1',
    (VIDEOS_API_URL) => {
      const videosApi = { baseUrl: 'http://gpu:8000', apiKey: undefined, models: ['Wan2.2', '*H3*'] }
      expect(read({ VIDEOS_API_URL, VIDEOS_API_MODEL: 'Wan2.2, *H3*,' })).toMatchObject({ videosApi })
    },
  )

  it('take one header for the proxy of ComfyUI', () => {
    const COMFYUI_URL = 'http://gpu:8188/'
    expect(read({ COMFYUI_URL }).comfyui).toEqual({ baseUrl: 'http://gpu:8188', headers: {} })
    const { comfyui } = read({ COMFYUI_URL, COMFYUI_HEADER: 'Authorization: Basic a:b' })
    expect(comfyui?.headers).toEqual({ Authorization: 'Basic a:b' })
  })

  it('give provider definitions their keys, and none of the other secrets', () => {
    const env = { FAL_KEY: 'fal', MY_GATEWAY_KEY: 'mine', SESSION_SECRET: 'x'.repeat(32), ARK_API_KEY: '' }
    const { keyOf } = read(env)
    expect(['FAL_KEY', 'MY_GATEWAY_KEY', 'SESSION_SECRET', 'ENCRYPTION_KEY', 'ARK_API_KEY'].map(keyOf)).toEqual([
      ...['fal', 'mine', undefined, undefined, undefined],
    ])
  })

  it.each<Record<string, string>>([
    { VIDEOS_API_URL: 'gpu' },
    { COMFYUI_URL: 'gpu:8188:1' },
    { COMFYUI_HEADER: 'Basic' },
    { COMFYUI_HEADER: 'A b: c' },
    { COMFYUI_HEADER: 'Origin: http://gpu' },
  ])('refuse %j', (env) => {
    expect(() => read(env)).toThrow(Object.keys(env)[0])
  })
})
