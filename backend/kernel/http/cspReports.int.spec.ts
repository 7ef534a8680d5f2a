import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { pino } from 'pino'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createCspReports } from './cspReports.ts'
import { problemDetails } from './problemDetails.ts'
import { requestHeaders } from './security.ts'
import { NO_PAGE_POLICY } from './site/pagePolicy.ts'

let server: Server
let publicUrl: string
beforeEach(() => {
  publicUrl = 'https://kinora.test'
})
let now = 0
let lines: Record<string, unknown>[]
let reports: ReturnType<typeof createCspReports>

beforeEach(async () => {
  server?.close()
  lines = []
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  reports = createCspReports(log, () => now)
  const app = new Koa({ proxy: true })
    .use(requestHeaders(() => publicUrl))
    .use(problemDetails(log))
    .use(reports.receive)
  server = await new Promise<Server>((resolve) => {
    const listening: Server = app.listen(0, '127.0.0.1', () => resolve(listening))
  })
})
afterAll(() => server.close())

const urlOf = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
const send = (body: string, type = 'application/csp-report', ip = '203.0.113.9') =>
  fetch(urlOf('/api/v1/csp-reports'), {
    method: 'POST',
    headers: { 'content-type': type, 'x-forwarded-for': ip },
    body,
  })
const OLD = JSON.stringify({
  'csp-report': {
    'document-uri': 'https://kinora.test/reset-password?token=secret',
    'effective-directive': 'script-src-elem',
    'blocked-uri': 'inline',
  },
})
const logged = { page: 'https://kinora.test/reset-password', directive: 'script-src-elem', blocked: 'inline' }

describe('csp reports', () => {
  it('are counted and logged without query strings', async () => {
    expect((await send(OLD)).status).toBe(204)
    expect([reports.count(), lines]).toEqual([1, [expect.objectContaining(logged)]])
    expect(JSON.stringify(lines)).not.toContain('secret')
  })

  it('of the Reporting API are accepted as a list; other report types are ignored', async () => {
    const body = {
      documentURL: 'https://kinora.test/reset-password?token=secret',
      effectiveDirective: 'script-src-elem',
      blockedURL: 'inline',
    }
    const violation = { type: 'csp-violation', body }
    const answer = await send(
      JSON.stringify([violation, { type: 'deprecation', body }, null, violation]),
      'application/reports+json',
    )
    expect([answer.status, reports.count(), lines]).toEqual([204, 2, Array(2).fill(expect.objectContaining(logged))])
  })

  it.each([
    ['{', 'application/csp-report', 422],
    [OLD, 'text/plain', 415],
    [JSON.stringify({ 'csp-report': { 'document-uri': 'x'.repeat(40_000) } }), 'application/csp-report', 413],
    ['7', 'application/csp-report', 204],
    ['{"csp-report":{}}', 'application/csp-report', 204],
  ])('are rejected when malformed', async (body, type, status) => {
    expect((await send(body, type)).status).toBe(status)
  })

  it('are rate limited', async () => {
    const answers = await Promise.all(Array.from({ length: 62 }, () => send(OLD)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
    expect(reports.count()).toBe(60)
  })

  it('are rate limited one by one, also in a list', async () => {
    const violation = { type: 'csp-violation', body: { effectiveDirective: 'script-src' } }
    const list = JSON.stringify(Array(40).fill(violation))
    const answers = [await send(list, 'application/reports+json'), await send(list, 'application/reports+json')]
    expect(answers.map(({ status }) => status)).toEqual([204, 429])
    expect(reports.count()).toBe(60)
  })

  it('of many networks log 60 lines a minute, and the next line says how many were left out', async () => {
    const violation = { type: 'csp-violation', body: { effectiveDirective: 'script-src' } }
    const list = JSON.stringify(Array(50).fill(violation))
    for (let n = 0; n < 20; n++) await send(list, 'application/reports+json', `198.51.100.${n}`)
    expect([reports.count(), lines.length]).toEqual([1_000, 60])
    now += 60_000
    await send(OLD)
    expect(lines.at(-1)).toMatchObject({ ...logged, omitted: 940 })
    await send(OLD)
    expect(lines.at(-1)).toMatchObject({ omitted: 0 })
  })

  it('of all addresses of an IPv6 network count together', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 62 }, async (_, n) => (await send(OLD, undefined, `2001:db8:0:1::${n}`)).status),
    )
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  })
})

describe('every response', () => {
  const headersAt = async () => {
    const { headers } = await fetch(urlOf('/'))
    const names = ['content-security-policy', 'x-content-type-options', 'referrer-policy']
    const rest = ['cross-origin-opener-policy', 'cross-origin-resource-policy', 'strict-transport-security']
    return Object.fromEntries([...names, ...rest].map((name) => [name, headers.get(name)]))
  }

  it('carries the security headers', async () => {
    expect(await headersAt()).toEqual({
      'content-security-policy': NO_PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': 'max-age=63072000',
    })
  })

  it('sends HSTS only if the public URL is https', async () => {
    publicUrl = 'http://localhost:3000'
    expect((await headersAt())['strict-transport-security']).toBeNull()
  })
})
