import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHealthApp, healthRoutes } from './health.ts'

describe('an API process that is starting', () => {
  let server: Server
  let url: string
  beforeAll(async () => {
    const health = healthRoutes({
      readiness: () => 'starting',
      dependencies: async () => {},
      behind: async () => [],
      silent: () => [],
    })
    server = createServer(createHealthApp(health, pino({ level: 'silent' })).callback())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  it.for(['GET', 'POST'])('answers %s requests to the API with a problem and Retry-After', async (method) => {
    const answer = await fetch(`${url}/api/v1/videos/tasks`, { method })
    const headers = ['content-type', 'retry-after', 'cache-control'].map((name) => answer.headers.get(name))
    expect([answer.status, ...headers]).toEqual([503, 'application/problem+json', '2', 'no-store'])
    expect(await answer.json()).toMatchObject({ status: 503, code: 'unavailable', requestId: expect.any(String) })
  })

  it.for([
    ['/', 'en', 'The service is unavailable right now.'],
    ['/zh/workspace', 'zh', '服务暂时不可用'],
  ] as const)('answers a browser at %s with a page that reloads itself', async ([path, language, text]) => {
    const answer = await fetch(url + path, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
    const headers = ['content-type', 'retry-after', 'refresh'].map((name) => answer.headers.get(name))
    expect([answer.status, ...headers]).toEqual([503, 'text/html; charset=utf-8', '2', '2'])
    const html = await answer.text()
    expect(html).toContain(`<html lang="${language}">`)
    expect(html).toContain(text)
  })
})
