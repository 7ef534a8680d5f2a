import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { shippedDefinitions } from '../../providers/video/definitions/testing/shippedDefinitions.ts'
import { readConfig } from './readConfig.ts'

const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-private-'))
afterAll(() => rmSync(DATA_DIR, { recursive: true }))
const production = (env: Record<string, string>) =>
  readConfig({ DATA_DIR, NODE_ENV: 'production', PUBLIC_URL: 'https://kinora.test', ...env })

describe('the demo renderer', () => {
  const isUsed = (env: Record<string, string>) => readConfig({ DATA_DIR, ...env }).video.demo
  const DEVELOPMENT = { NODE_ENV: 'development' }

  it('makes videos in development until an engine is set', () => {
    expect(isUsed(DEVELOPMENT)).toBe(true)
    for (const name of ['MINIMAX_API_KEY', 'COMFYUI_URL', 'FAL_KEY'])
      expect(isUsed({ ...DEVELOPMENT, [name]: 'http://gpu:8188' })).toBe(false)
    expect(production({ FAL_KEY: 'key' }).video.demo).toBe(false)
  })

  it('makes videos beside an engine, and in production, only with DEMO=on', () => {
    expect(isUsed({ ...DEVELOPMENT, FAL_KEY: 'key', DEMO: 'on' })).toBe(true)
    expect(production({ DEMO: 'on' }).video.demo).toBe(true)
  })

  it('leaves no way to make videos with DEMO=off and no engine, which is refused', () => {
    expect(() => isUsed({ ...DEVELOPMENT, DEMO: 'off' })).toThrow('No video engine is set')
    expect(isUsed({ ...DEVELOPMENT, DEMO: 'off', FAL_KEY: 'key' })).toBe(false)
  })
})

describe('the smallest production', () => {
  it.each<Record<string, string>>([
    { MINIMAX_API_KEY: 'sk' },
    { VIDEOS_API_URL: 'http://gpu:8000' },
    { COMFYUI_URL: 'http://192.168.1.20:8188' },
    { FAL_KEY: 'key' },
    { REPLICATE_API_TOKEN: 'token' },
    { ARK_API_KEY: 'key' },
    { RUNWAYML_API_SECRET: 'key' },
  ])('starts with PUBLIC_URL and %j, without plans and mail, and keeps its own secrets', (engine) => {
    const config = production(engine)
    expect(config).toMatchObject({ mail: undefined, payments: { tills: [], paypal: undefined, monthlyCredits: 0 } })
    expect(production(engine).secrets).toEqual(config.secrets)
    expect(config.secrets.session).toMatch(/^[0-9a-f]{64}$/)
    expect(config.operators.password).toHaveLength(22)
  })

  it('is what docs/operations.md shows', () => {
    const text = readFileSync(path.join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
    const [, settings = ''] = /```sh\n(NODE_ENV=production\nPUBLIC_URL=https:\/\/videos[^`]*)```/.exec(text) ?? []
    const env = parseEnv(settings)
    expect(Object.keys(env)).toEqual(['NODE_ENV', 'PUBLIC_URL', 'VIDEOS_API_URL'])
    expect(readConfig({ DATA_DIR, ...env })).toMatchObject({ production: true, registration: 'closed' })
  })

  it('starts with a provider that only a file of the operator describes, once its key is set', () => {
    const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-defined-'))
    onTestFinished(() => rmSync(DATA_DIR, { recursive: true }))
    const file = path.join(DATA_DIR, 'providers/gateway.json')
    mkdirSync(path.dirname(file))
    const [shipped] = shippedDefinitions()
    const definition = { ...shipped!, name: 'gateway', key: { variable: 'MY_GATEWAY_KEY', header: 'Authorization' } }
    writeFileSync(file, JSON.stringify(definition))
    expect(() => production({ DATA_DIR, MY_GATEWAY_KEY: 'key' })).not.toThrow()
    expect(() => production({ DATA_DIR })).toThrow(/No video engine is set/)
    writeFileSync(file, JSON.stringify({ ...definition, create: {} }))
    expect(() => production({ DATA_DIR, MY_GATEWAY_KEY: 'key' })).toThrow(/No video engine is set/)
  })

  it.each([
    'https://engine.test',
    'http://127.0.0.1:8000',
    'http://10.0.0.7:8000',
    'http://172.20.0.2',
    'http://gpu.internal',
    'http://[fd00::7]:8000',
  ])('accepts an engine at %s', (VIDEOS_API_URL) => expect(() => production({ VIDEOS_API_URL })).not.toThrow())

  it.each(['http://engine.test', 'http://172.32.0.2', 'http://8.8.8.8:8000', 'http://[2a00:1450::1]'])(
    'refuses an engine at %s, where prompts would be readable on the way',
    (url) => {
      expect(() => production({ VIDEOS_API_URL: url })).toThrow(/VIDEOS_API_URL is not https and not in a private/)
      expect(() => production({ COMFYUI_URL: url })).toThrow(/COMFYUI_URL is not https and not in a private/)
    },
  )

  it('refuses part of the settings of a mail server or PayPal', () => {
    const engine = { FAL_KEY: 'key' }
    expect(() => production({ ...engine, SMTP_URL: 'smtps://mail.test' })).toThrow(/SMTP_URL and MAIL_FROM belong/)
    expect(() => production({ ...engine, ALERT_MAIL: 'ada@kinora.test' })).toThrow(/ALERT_MAIL needs a mail server/)
    expect(() => production({ ...engine, PAYPAL_CLIENT_ID: 'id' })).toThrow(/PAYPAL_CLIENT_SECRET is not set/)
    expect(() => production({ ...engine, PAYMENTS: 'off', PAYPAL_CLIENT_ID: 'id' })).toThrow(/PAYPAL_CLIENT_SECRET/)
  })

  it('grants monthly credits only without plans', () => {
    expect(production({ FAL_KEY: 'key', MONTHLY_CREDITS: '300' }).payments.monthlyCredits).toBe(300)
    expect(() => readConfig({ DATA_DIR, MONTHLY_CREDITS: '300' })).toThrow(/^MONTHLY_CREDITS is for installations/)
    expect(readConfig({ DATA_DIR, MONTHLY_CREDITS: '300', PAYMENTS: 'off' }).payments.tills).toEqual([])
    for (const MONTHLY_CREDITS of ['-1', '1.5', 'many'])
      expect(() => readConfig({ DATA_DIR, PAYMENTS: 'off', MONTHLY_CREDITS })).toThrow(/MONTHLY_CREDITS/)
  })
})
