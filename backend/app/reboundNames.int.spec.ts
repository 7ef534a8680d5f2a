import { createECDH } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { generate } from '#workflows/testing/userTasks.ts'
import { accessRequest, view } from '../apiKeys/oauth/testing/connect.ts'
import { runProviders } from '../programs/providers.ts'
import { shippedDefinitions } from '../providers/video/definitions/testing/shippedDefinitions.ts'
import { downloadVideo } from '../providers/video/downloadVideo.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { eventually } from '../testing/eventually.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'
import { engineGuard } from './video/videoProviders.ts'

/** A name of a stranger, which leads to this machine. */
const NAME = 'rebound.example'
const asked = { times: 0 }
vi.mock('node:dns', async (original) => {
  const dns = await original<typeof import('node:dns')>()
  const lookup = (host: string, options: object, answer: (...result: unknown[]) => void) => {
    if (host !== NAME) return dns.lookup(host, options, answer as never)
    asked.times++
    answer(null, [{ address: '127.0.0.1', family: 4 }])
  }
  return { ...dns, lookup, default: { ...dns, lookup } }
})

let kinora: TestKinora
let user: TestUser
/** Connections to this machine. */
let reached = 0
let address: string
const trap = createServer((socket) => {
  reached++
  socket.destroy()
})
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-rebound-'))
beforeAll(async () => {
  await once(trap.listen(0, '127.0.0.1'), 'listening')
  address = `https://${NAME}:${(trap.address() as AddressInfo).port}`
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(async () => {
  await kinora?.close()
  trap.close()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  user = await kinora.newUser()
  asked.times = 0
})

describe('a name that leads to this machine is resolved, and never reached, as the address of', () => {
  const isRefused = () => expect([asked.times > 0, reached]).toEqual([true, 0])

  it('a webhook', async () => {
    const order = { name: 'x', url: `${address}/hook`, event_types: ['video.completed'] }
    const { id } = (await (await user.call('POST', '/webhook_endpoints', order)).json()) as { id: string }
    const test = await user.call('POST', `/webhook_endpoints/${id}/test`, {})
    expect(await test.json()).toMatchObject({ detail: 'The endpoint did not answer: address.' })
    isRefused()
  })

  it('a push service', async () => {
    const keys = { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: 'A'.repeat(22) }
    expect((await user.call('PUT', '/users/notices/push', { endpoint: `${address}/push`, keys })).status).toBe(204)
    await generate(user)
    await eventually(async () => {
      const { rows } = await kinora.context.pool.query(
        `select state, fault from outbox where user_id = $1 and channel = 'push'`,
        [user.userId],
      )
      expect(rows).toMatchObject([{ state: 'waiting', fault: 'internal' }])
    })
    isRefused()
  })

  it('the document of a client', async () => {
    const { request } = accessRequest(`${address}/mcp.json`)
    const page = new URL(`${kinora.url}/oauth/authorize?${new URLSearchParams(request as Record<string, string>)}`)
    expect((await view(user, page)).code).toBe('client_unknown')
    isRefused()
  })

  it('a provider', async () => {
    mkdirSync(path.join(folder, 'providers'))
    const [definition] = shippedDefinitions().filter(({ name }) => name === 'replicate')
    const stranger = { ...definition, name: 'stranger', baseUrl: address }
    writeFileSync(path.join(folder, 'providers/stranger.json'), JSON.stringify(stranger))
    const lines: string[] = []
    const env = { NODE_ENV: 'test', DATA_DIR: folder, REPLICATE_API_TOKEN: 'key' }
    expect(await runProviders(['check', 'stranger'], env, (text) => lines.push(text))).toBe(1)
    expect(lines.join('\n')).toMatch(/failed: .*public address/)
    isRefused()
  })

  it('a film', async () => {
    const options = { guard: engineGuard(kinora.context.config), engine: 'https://engine.example', stallTimeoutMs: 300 }
    const { signal } = new AbortController()
    const link = async () => ({ url: `${address}/film.mp4` })
    await expect(downloadVideo(link as never, path.join(folder, 'x'), { ...options, signal })).rejects.toThrow(
      'no public address',
    )
    isRefused()
  })
})
