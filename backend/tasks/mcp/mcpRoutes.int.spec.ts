import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'
import type { TestUser } from '#backend/testing/testUser.ts'

let kinora: TestKinora
let user: TestUser
let key: string
beforeAll(async () => {
  kinora = await startTestKinora()
  user = await kinora.newUser()
  const order = { name: 'Assistant', scopes: ['videos:read' as const, 'videos:write' as const], expires_in_days: null }
  key = (await kinora.services.apiKeys.create(user.userId, order)).key
})
afterAll(() => kinora?.close())

const send = (body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
  fetch(`${kinora.url}/mcp`, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const call = (name: string, input: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: input },
})
/** Returns the message in an event stream. */
const messageOf = async (answer: Response) => {
  const text = await answer.text()
  return JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text)
}

it('tells a client without a token where it gets one, and one with a narrow key which scopes it lacks', async () => {
  const metadata = `resource_metadata="${kinora.url}/.well-known/oauth-protected-resource/mcp", scope="videos:read videos:write account:read"`
  const challenge = async (answer: Response) => [answer.status, answer.headers.get('www-authenticate')]
  expect(await challenge(await send(list, { authorization: '' }))).toEqual([401, `Bearer ${metadata}`])
  expect(await challenge(await send('', { authorization: '' }, 'GET'))).toEqual([401, `Bearer ${metadata}`])
  const wrong = await send(list, { authorization: 'Bearer kin_wrong' })
  expect(await challenge(wrong)).toEqual([401, `Bearer error="invalid_token", ${metadata}`])
  const narrow = await send(call('balance', {}))
  expect(await challenge(narrow)).toEqual([403, `Bearer error="insufficient_scope", ${metadata}`])
})

it('never reads cookies', async () => {
  expect((await send(list, { authorization: '', cookie: user.cookie })).status).toBe(401)
})

it('refuses pages of other origins, and has no stream to open', async () => {
  for (const origin of ['https://elsewhere.example', 'null', `${kinora.url}.elsewhere.example`])
    expect([origin, (await send(list, { origin })).status]).toEqual([origin, 403])
  expect((await send(list, { origin: kinora.url })).status).toBe(200)
  for (const method of ['GET', 'DELETE']) {
    const answer = await send('', {}, method)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  }
})

it('refuses hostile messages, and keeps serving', async () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const refused: [string, number][] = [
    ['', 400],
    ['{', 400],
    ['null', 400],
    ['7', 400],
    ['[]', 400],
    [JSON.stringify(Array(1_000).fill(list)), 400],
    [JSON.stringify({ ...list, params: 'x' }).replace('"x"', nested(30_000)), 400],
    [JSON.stringify(call('quote', { prompt: 'x'.repeat(70_000) })), 413],
    [JSON.stringify({ ...list, jsonrpc: '1.0' }), 400],
    [JSON.stringify({ ...list, id: { deep: true } }), 400],
    [JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }), 202],
  ]
  for (const [body, status] of refused)
    expect([body.slice(0, 60), (await send(body)).status]).toEqual([body.slice(0, 60), status])
  expect((await send('x', { 'content-type': 'text/plain' })).status).toBe(415)
  for (const name of ['__proto__', 'constructor', 'toString', ''])
    expect(await messageOf(await send(call(name, {})))).toMatchObject({ error: { code: -32602 } })
  expect((await messageOf(await send(list))).result.tools).toHaveLength(7)
})

it('opens no subscription', async () => {
  const version = '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const message = {
    ...list,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta },
  }
  const answer = await send(message, { 'mcp-protocol-version': version, 'mcp-method': message.method })
  expect(await messageOf(answer)).toMatchObject({ error: { message: 'Subscription limit reached' } })
})

it('takes prompts as texts: control characters are removed, and foreign fields are ignored', async () => {
  const prompt = 'A fox\u0000\u202e\u001b[31m jumps'
  const order = { model: 'demo', prompt, max_credits: 1_000, user_id: 'someone', n: 4 }
  const { result } = await messageOf(await send(call('generate', order)))
  expect(result.isError ? result.content[0].text : result.structuredContent.prompt).not.toMatch(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be missing
    /[\u0000\u001b\u202e]/,
  )
})
