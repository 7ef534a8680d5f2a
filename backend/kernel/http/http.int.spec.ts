import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import errors from '#content/en/errors.json' with { type: 'json' }
import { createProviderDouble, type ProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../../testing/testUser.ts'
import { API_BASE } from './contract.ts'

let kinora: TestKinora
let provider: ProviderDouble
let user: TestUser
beforeAll(async () => {
  provider = await createProviderDouble()
  provider.answer = () => ({ kind: 'rendering', percent: 1 })
  kinora = await startTestKinora({ provider })
  user = await kinora.newUser()
})
afterAll(() => kinora.close())

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const problem = async (response: Response) => {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  const { requestId, detail, ...rest } = (await response.json()) as Record<string, unknown>
  expect([requestId, detail]).toEqual([response.headers.get('x-request-id'), expect.any(String)])
  expect(requestId).toMatch(REQUEST_ID)
  return rest
}
const raw = (body: string | ReadableStream, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  fetch(`${kinora.api}/auth/login`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
/** Sends a request without a body as it stands. Returns the whole answer. */
const answerTo = (head: string) => {
  const socket = connect(Number(new URL(kinora.url).port), 'localhost')
  socket.write(`${head}\r\nConnection: close\r\n\r\n`)
  return text(socket)
}
const fault = (path: string, code: string) => ({
  path,
  code,
  message: (errors as Record<string, string>)[code] ?? code.replaceAll('_', ' '),
})
const simple = (status: number, title: string, code: string) => ({ type: 'about:blank', title, status, code })

describe('an invalid request', () => {
  it('is a 414 when its path exceeds 2 kB', async () => {
    const answer = await fetch(`${kinora.url}/${'x'.repeat(2_048)}`)
    expect([answer.status, await problem(answer)]).toEqual([414, simple(414, 'URI Too Long', 'uri_too_long')])
  })
  it('is a 431 when its headers exceed 16 kB, and a 400 when it is not HTTP', async () => {
    const answer = await fetch(`${kinora.api}/auth/me?x=${'x'.repeat(20_000)}`)
    expect(await problem(answer)).toEqual(simple(431, 'Request Header Fields Too Large', 'headers_too_large'))
    expect(await answerTo('GET / HTTP/9.9')).toMatch(/^HTTP\/1\.1 400 .*"code":"malformed_request"/s)
  })
  it.each([
    'GET http://[::1 HTTP/1.1\r\nHost: a',
    'GET http:// HTTP/1.1\r\nHost: a',
    'GET ftp://a/ HTTP/1.1\r\nHost: a',
    'GET / HTTP/1.1\r\nHost: a\r\nHost: a',
    'POST /api/v1/auth/login HTTP/1.1\r\nHost: a\r\nhost: b',
  ])('is a 400 when it names no address or two hosts: %j', async (head) => {
    expect(await answerTo(head)).toMatch(/^HTTP\/1\.1 400 .*"code":"malformed_request"/s)
  })
  it('is a 400 when it would open a socket and names two hosts', async () => {
    const upgrade = 'Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13'
    const head = `GET /api/v1/ws?token=x HTTP/1.1\r\nHost: a\r\nHost: a\r\n${upgrade}\r\nConnection: Upgrade`
    expect(await answerTo(head)).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  })
  it.each(['{', '"text"', 'null', '', '{"email":'])('is a 422 when its body is %j', async (body) => {
    const answer = await raw(body)
    expect(answer.status).toBe(422)
    expect((await problem(answer)).status).toBe(422)
  })
  it('names invalid JSON', async () => {
    expect(await problem(await raw('{'))).toEqual({
      ...simple(422, 'Unprocessable Entity', 'invalid_input'),
      errors: [fault('body', 'invalid_json')].map((each) => ({ ...each, path: '' })),
    })
  })
  it('names each invalid field', async () => {
    expect(await problem(await kinora.post('/auth/login', { email: 7 }))).toEqual({
      ...simple(422, 'Unprocessable Entity', 'invalid_input'),
      errors: [fault('email', 'required'), fault('password', 'required')],
    })
    const ordered = await user.call('POST', '/videos/generate', { ...GENERATION, prompt: 5 })
    expect(await problem(ordered)).toMatchObject({ errors: [fault('prompt', 'invalid')] })
  })
  it('is a 415 when it is not JSON', async () => {
    const answer = await raw('email=a', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(await problem(answer)).toEqual(simple(415, 'Unsupported Media Type', 'not_json'))
  })
  it('is a 415 when it is compressed', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const answer = await fetch(`${kinora.api}/auth/login`, { method: 'POST', headers, body: gzipSync('{}') })
    expect(await problem(answer)).toEqual(simple(415, 'Unsupported Media Type', 'not_json'))
  })
  it('is a 413 when it is too large, with and without a Content-Length', async () => {
    const body = JSON.stringify({ email: 'x'.repeat(1_000_000) })
    for (const sent of [body, new Blob([body]).stream()])
      expect(await problem(await raw(sent))).toEqual(simple(413, 'Payload Too Large', 'payload_too_large'))
  })
  it('is not logged as an error when the client aborts', async () => {
    const printed = vi.spyOn(console, 'error')
    const { requests } = kinora.context.observability.metrics
    const answered = async () =>
      (await requests.get()).values
        .filter(({ metricName, labels }) => metricName?.endsWith('_count') && labels.route === `${API_BASE}/auth/login`)
        .reduce((sum, { value }) => sum + value, 0)
    const before = await answered()
    const call = request(`${kinora.api}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 100 },
    })
    call.on('error', () => {})
    await new Promise<unknown>((resolve) => call.write('{"email":', resolve))
    // The server has received the call before this one.
    await fetch(`${kinora.url}/healthz`)
    expect(await answered()).toBe(before)
    call.destroy()
    await expect.poll(answered).toBe(before + 1)
    await fetch(`${kinora.url}/healthz`)
    expect(printed).not.toHaveBeenCalled()
  })
})

describe('a path', () => {
  it('is the same in an absolute address', async () => {
    expect(await answerTo(`GET http://example.com${API_BASE}/auth/me?x=1 HTTP/1.1\r\nHost: a`)).toMatch(
      /^HTTP\/1\.1 401 /,
    )
    expect(await answerTo('GET http://example.com/healthz HTTP/1.1\r\nHost: a')).toMatch(/^HTTP\/1\.1 200 /)
  })
  it.each(['/api/v1/nothing', '/api', '/api/v2/auth/me', '/api/v1/videos/tasks/x/y'])(
    'that does not exist is a 404: %s',
    async (path) => {
      for (const method of ['GET', 'POST'])
        expect(await problem(await fetch(kinora.url + path, { method }))).toEqual(simple(404, 'Not Found', 'not_found'))
    },
  )
  it('requested with the wrong method is a 405 with Allow', async () => {
    const answer = await fetch(`${kinora.api}/auth/login`)
    expect(answer.headers.get('allow')).toBe('POST')
    expect(await problem(answer)).toEqual(simple(405, 'Method Not Allowed', 'method_not_allowed'))
  })
  it('requested with an unknown method is a 405', async () => {
    const answer = await fetch(`${kinora.api}/auth/login`, { method: 'PROPFIND' })
    expect(await problem(answer)).toEqual(simple(405, 'Method Not Allowed', 'method_not_allowed'))
  })
  it.each(['nope', '00000000-0000-7000-8000-000000000000', '%E0%A4%A', "'--", '%00', '-'.repeat(36)])(
    'of a missing task or picture is a 404: %s',
    async (id) => {
      const statuses = []
      for (const kind of ['tasks', 'preview', 'thumbnail', 'download', 'images'])
        statuses.push((await user.call('GET', `/videos/${kind}/${id}`)).status)
      expect(statuses).toEqual(Array(5).fill(404))
      expect((await user.call('DELETE', `/videos/tasks/${id}`)).status).toBe(404)
    },
  )
})

describe('a cross-site request', () => {
  const logout = (headers: Record<string, string>) => {
    // fetch sets these headers itself; http.request sends them as given.
    return new Promise<[number | undefined, string]>((resolve, reject) => {
      const call = request(`${kinora.api}/auth/logout`, { method: 'POST', headers }, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve([response.statusCode, (JSON.parse(text) as { code?: string }).code ?? 'fine']))
      })
      call.on('error', reject)
      call.end()
    })
  }
  it.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://localhost:1' }],
    [{ 'sec-fetch-site': 'cross-site' }],
  ])('is a 403 (%j)', async (headers) => {
    expect(await logout(headers as Record<string, string>)).toEqual([403, 'cross_site'])
  })
  it('is accepted with our own origin, or with none', async () => {
    expect(await logout({ origin: kinora.url, 'sec-fetch-site': 'same-origin' })).toEqual([200, 'fine'])
    expect(await logout({})).toEqual([200, 'fine'])
  })
  it.each(['127.0.0.1:1234', '192.168.1.20:1234', '[fd00::20]:1234', 'kinora.localhost'])(
    'is not one that comes from a page opened at %s',
    async (host) => {
      expect(await logout({ host, origin: `http://${host}` })).toEqual([200, 'fine'])
      expect(await logout({ host: 'localhost:1234', origin: `http://${host}` })).toEqual([403, 'cross_site'])
    },
  )
  it('includes one from a name of the local network, which a stranger could point here', async () => {
    expect(await logout({ host: 'nas.lan', origin: 'http://nas.lan' })).toEqual([403, 'cross_site'])
  })
  it('may read public data', async () => {
    const answer = await fetch(`${kinora.api}/videos/models`, { headers: { origin: 'https://evil.example' } })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null])
  })
})

describe('a page of a list', () => {
  it.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=x',
    'page=',
    'page=1e400',
    'page=1&page=2',
    'per_page=0',
    'per_page=101',
    'status_filter=Nothing',
  ])('is a 422 for %s', async (query) => {
    const answer = await user.call('GET', `/videos/tasks?${query}`)
    const name = query.split('=')[0]!
    expect(await problem(answer)).toMatchObject({ status: 422, errors: [{ path: name }] })
  })
  it('is empty after the last one; the limits are inclusive', async () => {
    for (const query of ['page=1&per_page=100', 'page=9007199254740991&per_page=100', 'per_page=1'])
      expect(await (await user.call('GET', `/videos/tasks?${query}`)).json()).toEqual({ tasks: [], total: 0 })
  })
})

describe('every response', () => {
  it('carries security headers and is not cached', async () => {
    const answer = await user.call('GET', '/auth/me')
    const names = ['x-content-type-options', 'referrer-policy', 'x-frame-options', 'cache-control']
    expect(names.map((name) => answer.headers.get(name))).toEqual([
      'nosniff',
      'strict-origin-when-cross-origin',
      'DENY',
      'no-store',
    ])
  })
  it('to a health check needs no account', async () => {
    const answers = await Promise.all(['/healthz', '/readyz'].map((path) => fetch(kinora.url + path)))
    expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([
      { status: 'alive' },
      { status: 'ready' },
    ])
  })
})

describe('an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() })
  const generate = (by: TestUser, body: object, headers: Record<string, string>) =>
    by.call('POST', '/videos/generate', body, headers)
  const taskOf = async (answer: Response) => ((await answer.json()) as { task: { id: string } }).task.id
  const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code]

  it('returns the same task for the same body, in any key order', async () => {
    const [by, same] = [await kinora.newUser(), key()]
    const { model, ...rest } = GENERATION
    const first = await generate(by, GENERATION, same)
    const again = await generate(by, { ...rest, model, camera_movements: [] }, same)
    expect([first.status, again.status]).toEqual([202, 202])
    expect(await taskOf(again)).toBe(await taskOf(first))
  })
  it('is rejected for another body', async () => {
    const [by, same] = [await kinora.newUser(), key()]
    await generate(by, GENERATION, same)
    const other = await generate(by, { ...GENERATION, prompt: 'Another' }, same)
    expect(await codeOf(other)).toEqual([422, 'idempotency_key_reused'])
  })
  it('sent with two bodies concurrently is used by one of them', async () => {
    const [by, same] = [await kinora.newUser(), key()]
    const bodies = [GENERATION, { ...GENERATION, prompt: 'Another' }]
    const answers = await Promise.all(bodies.map((body) => generate(by, body, same)))
    expect(answers.map(({ status }) => status).toSorted()[0]).toBe(202)
    const refused = answers.find(({ status }) => status !== 202)!
    expect([
      [409, 'idempotency_in_progress'],
      [422, 'idempotency_key_reused'],
    ]).toContainEqual(await codeOf(refused))
    expect(await (await by.call('GET', '/videos/tasks')).json()).toMatchObject({ total: 1 })
  })
  it('belongs to one user', async () => {
    const [one, two, same] = [await kinora.newUser(), await kinora.newUser(), key()]
    const tasks = [
      await taskOf(await generate(one, GENERATION, same)),
      await taskOf(await generate(two, GENERATION, same)),
    ]
    expect(tasks[0]).not.toBe(tasks[1])
  })
  it('can be reused with any body after a rejection', async () => {
    const [by, same] = [await kinora.newUser(), key()]
    const fullHd = { ...GENERATION, resolution: '1080P' }
    expect(await codeOf(await generate(by, fullHd, same))).toEqual([403, 'plan_required'])
    expect((await generate(by, { ...GENERATION, duration: 7 }, same)).status).toBe(422)
    expect((await generate(by, GENERATION, same)).status).toBe(202)
    expect(await codeOf(await generate(by, fullHd, same))).toEqual([422, 'idempotency_key_reused'])
  })
  it('returns 404 when its task was deleted', async () => {
    const [by, same] = [await kinora.newUser(), key()]
    await generate(by, GENERATION, key())
    const waiting = await taskOf(await generate(by, GENERATION, same))
    expect((await by.call('DELETE', `/videos/tasks/${waiting}`)).status).toBe(204)
    expect(await codeOf(await generate(by, GENERATION, same))).toEqual([404, 'not_found'])
    expect(await codeOf(await generate(by, { ...GENERATION, prompt: 'Other' }, same))).toEqual([
      422,
      'idempotency_key_reused',
    ])
  })
  it('is a 422 when it is longer than 200 characters', async () => {
    const answer = await generate(user, GENERATION, { 'idempotency-key': 'x'.repeat(201) })
    expect(await problem(answer)).toMatchObject({ errors: [fault('Idempotency-Key', 'too_long')] })
  })
  it('is optional: without it every request creates a task', async () => {
    const by = await kinora.newUser()
    const tasks = [await taskOf(await generate(by, GENERATION, {})), await taskOf(await generate(by, GENERATION, {}))]
    expect(tasks[0]).not.toBe(tasks[1])
    expect(await codeOf(await generate(by, GENERATION, {}))).toEqual([402, 'insufficient_credits'])
  })
  it('is stored only if the client sent it', async () => {
    const [by, sent] = [await kinora.newUser(), key()]
    await generate(by, GENERATION, sent)
    await generate(by, GENERATION, {})
    const { rows } = await kinora.context.pool.query('select key from idempotency_key where user_id = $1', [by.userId])
    expect(rows).toEqual([{ key: sent['idempotency-key'] }])
  })
  it('is deleted after 24 hours', async () => {
    const [by, old, young, { pool }] = [await kinora.newUser(), key(), key(), kinora.context]
    for (const each of [old, young]) await generate(by, GENERATION, each)
    const age = `update idempotency_key set updated_at = now() - $2::interval where key = $1`
    await pool.query(age, [old['idempotency-key'], '25 hours'])
    await pool.query(age, [young['idempotency-key'], '23 hours'])
    await kinora.post('/../../dev/clock', { advance_ms: 1 })
    const kept = () => pool.query('select key from idempotency_key where user_id = $1', [by.userId])
    await expect.poll(async () => (await kept()).rows).toEqual([{ key: young['idempotency-key'] }])
  })
})
