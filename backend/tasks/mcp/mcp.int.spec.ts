import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'
import type { TestUser } from '#backend/testing/testUser.ts'
import type { Scope } from '../../kernel/http/contract.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora?.close())

const SCOPES: Scope[] = ['videos:write', 'videos:read', 'account:read']
const ORDER = { model: 'MiniMax-Hailuo-02', prompt: 'A fox in the snow' }
type Settings = Omit<Partial<Parameters<TestKinora['services']['apiKeys']['create']>[1]>, 'name'>

const keyOf = async ({ userId }: TestUser, settings: Settings = {}) => {
  const order = { name: 'Assistant', scopes: SCOPES, expires_in_days: null, ...settings }
  return (await kinora.services.apiKeys.create(userId, order)).key
}

/** A client of the newest line or of the one before, with the same calls. */
interface Caller {
  readonly name: string
  readonly tools: () => Promise<{ name: string; annotations?: object; outputSchema?: object }[]>
  readonly call: (name: string, input?: object) => Promise<Called>
}
interface Called {
  readonly isError?: boolean
  readonly content: { type: string; text?: string; uri?: string; mimeType?: string; data?: string }[]
  readonly structuredContent?: Record<string, unknown>
}

const headersOf = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } })
const address = () => new URL(`${kinora.url}/mcp`)

async function newest(
  key: string,
  mode: 'auto' | 'legacy' = 'auto',
  ask?: (message: string) => object,
): Promise<Caller> {
  const client = new Client(
    { name: 'newest', version: '1' },
    { versionNegotiation: { mode }, ...(ask && { capabilities: { elicitation: { form: {} } } }) },
  )
  if (ask)
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }) => ask((params as { message: string }).message) as never,
    )
  await client.connect(new StreamableHTTPClientTransport(address(), headersOf(key)))
  return {
    name: client.getNegotiatedProtocolVersion() ?? '',
    tools: async () => (await client.listTools()).tools as never,
    call: async (name, input = {}) => (await client.callTool({ name, arguments: input as never })) as Called,
  }
}

async function former(key: string): Promise<Caller> {
  const client = new FormerClient({ name: 'former', version: '1' })
  await client.connect(new FormerTransport(address(), headersOf(key)) as never)
  return {
    name: 'former',
    tools: async () => (await client.listTools()).tools as never,
    call: async (name, input = {}) => (await client.callTool({ name, arguments: input as never })) as Called,
  }
}

const made = (called: Called) => {
  expect(called).not.toMatchObject({ isError: true })
  expect(JSON.parse(called.content[0]!.text!)).toEqual(called.structuredContent)
  return called.structuredContent!
}
const refusal = ({ isError, content }: Called) => {
  expect(isError).toBe(true)
  return (JSON.parse(content[0]!.text!) as { error: { code: string; param: string | null } }).error
}

const LINES = [
  ['the newest client', (key: string) => newest(key)],
  ['the newest client in the former era', (key: string) => newest(key, 'legacy')],
  ['a client of the former line', former],
] as const

describe.each(LINES)('%s', (_, connect) => {
  it('makes, follows and fetches a video with a key', async () => {
    const user = await kinora.newUser()
    const caller = await connect(await keyOf(user))
    expect((await caller.tools()).map(({ name }) => name)).toEqual([
      ...['list_models', 'quote', 'generate', 'get', 'list', 'cancel', 'balance'],
    ])
    const { models } = made(await caller.call('list_models')) as { models: { id: string; offers: object[] }[] }
    expect(models.find(({ id }) => id === ORDER.model)?.offers[0]).toMatchObject({ seconds: 6, credits: 30 })
    const quote = made(await caller.call('quote', ORDER))
    expect(quote).toMatchObject({ credits: 30, model: ORDER.model, seconds: 6 })
    expect(made(await caller.call('balance'))).toMatchObject({ credits: 60 })

    const video = made(await caller.call('generate', { quote_id: quote.quote_id }))
    expect(video).toMatchObject({ id: quote.quote_id, prompt: ORDER.prompt, credits: 30 })
    const finished = await eventually(async () => {
      const called = await caller.call('get', { id: video.id, wait_seconds: 20 })
      expect(made(called)).toMatchObject({ status: 'completed' })
      return called
    })
    const links = finished.content.filter(({ type }) => type === 'resource_link')
    expect(links.map(({ mimeType }) => mimeType)).toEqual(['video/mp4', 'image/jpeg'])
    expect(finished.content.at(-1)).toMatchObject({ type: 'image', mimeType: 'image/jpeg' })
    for (const { uri, mimeType } of links) {
      const file = await fetch(uri!)
      expect([file.status, file.headers.get('content-type')]).toEqual([200, mimeType])
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100)
      const forged = uri!.replace(/until=\d/, 'until=9')
      expect((await fetch(forged)).status).toBe(404)
    }
    expect(made(await caller.call('list'))).toMatchObject({ videos: [{ id: video.id }], next: null })
    expect(made(await caller.call('balance'))).toMatchObject({ credits: 30, limits: { spent_this_month: 30 } })
  })
})

it('forty orders of one quote at once make one video', async () => {
  const user = await kinora.newUser()
  const caller = await newest(await keyOf(user))
  const { quote_id } = made(await caller.call('quote', ORDER))
  const videos = await Promise.all(Array.from({ length: 40 }, () => caller.call('generate', { quote_id })))
  expect(new Set(videos.map((video) => made(video).id))).toEqual(new Set([quote_id]))
  expect(made(await caller.call('list'))).toMatchObject({ videos: [{ id: quote_id }] })
  expect(made(await caller.call('balance'))).toMatchObject({ credits: 30 })
})

it('a client that can ask its user orders only what the user confirms', async () => {
  const user = await kinora.newUser()
  const asked: string[] = []
  let content: object = { confirm: false }
  const caller = await newest(await keyOf(user), 'auto', (message) => {
    asked.push(message)
    return { action: 'accept', content }
  })
  const { quote_id } = made(await caller.call('quote', ORDER))
  expect(refusal(await caller.call('generate', { quote_id }))).toMatchObject({ code: 'declined' })
  content = { confirm: true }
  expect(made(await caller.call('generate', { quote_id }))).toMatchObject({ id: quote_id })
  expect(asked).toEqual(Array(2).fill(expect.stringMatching(/30 credits.*A fox in the snow/)))
  // It was ordered already, so nothing is asked.
  expect(made(await caller.call('generate', { quote_id }))).toMatchObject({ id: quote_id })
  expect(asked).toHaveLength(2)
})

describe('an order', () => {
  it('needs a quote or a limit, and keeps to both', async () => {
    const user = await kinora.newUser()
    const caller = await newest(await keyOf(user))
    const generate = (input: object) => caller.call('generate', input)
    expect(refusal(await generate(ORDER))).toMatchObject({ code: 'invalid_value', param: 'max_credits' })
    expect(refusal(await generate({ ...ORDER, max_credits: 29 }))).toMatchObject({ code: 'price_changed', credits: 30 })
    expect(refusal(await generate({ quote_id: crypto.randomUUID() }))).toMatchObject({ code: 'quote_unknown' })
    const stranger = await newest(await keyOf(await kinora.newUser()))
    const { quote_id } = made(await caller.call('quote', ORDER))
    expect(refusal(await stranger.call('generate', { quote_id }))).toMatchObject({ code: 'quote_unknown' })
    await kinora.context.pool.query('update quote set valid_until = now() where id = $1', [quote_id])
    expect(refusal(await generate({ quote_id }))).toMatchObject({ code: 'quote_expired' })

    const order = { ...ORDER, max_credits: 30, idempotency_key: 'once' }
    const [first, second] = [made(await generate(order)), made(await generate(order))]
    expect(first.id).toBe(second.id)
    expect(refusal(await generate({ ...order, prompt: 'A hare' }))).toMatchObject({ code: 'idempotency_key_reused' })
  })

  it('keeps to the models, the scopes and the purse of its key', async () => {
    const user = await kinora.newUser()
    const reader = await newest(await keyOf(user, { scopes: ['videos:read'] }))
    await expect(reader.call('generate', { ...ORDER, max_credits: 30 })).rejects.toThrow(/403|scope/i)
    const other = await newest(await keyOf(user, { models: ['MiniMax-Hailuo-2.3'] }))
    expect(refusal(await other.call('quote', ORDER))).toMatchObject({ code: 'invalid_value', param: 'model' })
    const limited = await newest(await keyOf(user, { credits_per_month: 30 }))
    const { quote_id } = made(await limited.call('quote', ORDER))
    made(await limited.call('generate', { quote_id }))
    expect(refusal(await limited.call('generate', { ...ORDER, max_credits: 30 }))).toMatchObject({
      code: 'key_limit_reached',
    })
  })
})

it('videos of others do not exist', async () => {
  const [user, stranger] = await Promise.all([kinora.newUser(), kinora.newUser()])
  const caller = await newest(await keyOf(user))
  const { id } = made(await caller.call('generate', { ...ORDER, max_credits: 30 }))
  const other = await newest(await keyOf(stranger))
  for (const tool of ['get', 'cancel'])
    expect(refusal(await other.call(tool, { id }))).toMatchObject({ code: 'not_found' })
  expect(made(await other.call('list'))).toEqual({ videos: [], next: null })
})
