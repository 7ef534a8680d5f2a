import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKeyMails } from '#backend/accounts/mails/keyMails.ts'
import { setSuspended } from '#backend/accounts/suspensions.ts'
import { createGuard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { REFUSED_ADDRESSES } from '#backend/kernel/http/outgoing/testing/refusedAddresses.ts'
import { createProviderDouble } from '#backend/providers/video/testing/providerDouble.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { startTestKinora, type TestKinora } from '#backend/testing/testKinora.ts'
import { GENERATION, type TestUser } from '#backend/testing/testUser.ts'
import type { ApiKey } from '../contract.ts'
import {
  accessRequest,
  allow,
  CALLBACK,
  connect,
  PASSWORD,
  postForm,
  registerClient,
  type Tokens,
  view,
} from './testing/connect.ts'

const DOCUMENT = 'https://client.example/mcp.json'
/** Documents of clients by their addresses. */
const documents = new Map<string, { status: number; body: string }>()
const publish = (id: string, document: object, status = 200) =>
  documents.set(id, {
    status,
    body: JSON.stringify({ client_id: id, client_name: 'Probe', redirect_uris: [CALLBACK], ...document }),
  })

let kinora: TestKinora
let ahead = 0
/** A registered client that has connections. */
let clientId: string
beforeAll(async () => {
  const { check } = createGuard()
  kinora = await startTestKinora({
    provider: await createProviderDouble(),
    now: () => Date.now() + ahead,
    documents: {
      check,
      send: async (address) => ({ headers: {}, ...(documents.get(String(address)) ?? { status: 404, body: '' }) }),
    },
  })
  publish(DOCUMENT, {})
  clientId = (await connect(kinora.url, await kinora.newUser())).client_id
})
afterAll(() => kinora?.close())

const authorizeUrl = (request: Record<string, string | undefined>) =>
  new URL(`${kinora.url}/oauth/authorize?${new URLSearchParams(JSON.parse(JSON.stringify(request)))}`)
const keysOf = async (user: TestUser) => ((await (await user.call('GET', '/keys')).json()) as { keys: ApiKey[] }).keys
const withToken = (token: string, path: string, body?: object) =>
  fetch(kinora.api + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
const works = async (token: string) => {
  kinora.services.keyDoor.forget()
  return (await withToken(token, '/videos/tasks')).status
}
const fault = async (answer: Response) => [answer.status, ((await answer.json()) as { error: string }).error]
const refresh = (client_id: string, refresh_token: string) =>
  postForm(kinora.url, { grant_type: 'refresh_token', refresh_token, client_id })

/** What the OAuth part of a real client keeps. */
function createStore(metadataUrl?: string) {
  const store: Record<string, unknown> = {}
  let asked: URL | undefined
  return {
    asked: () => asked!,
    provider: {
      redirectUrl: CALLBACK,
      ...(metadataUrl && { clientMetadataUrl: metadataUrl }),
      clientMetadata: {
        client_name: 'Probe',
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      state: () => 'state-1',
      clientInformation: () => store.client,
      saveClientInformation: (client: unknown) => {
        store.client = client
      },
      tokens: () => store.tokens,
      saveTokens: (tokens: unknown) => {
        store.tokens = tokens
      },
      redirectToAuthorization: (url: URL) => {
        asked = url
      },
      saveCodeVerifier: (verifier: string) => {
        store.verifier = verifier
      },
      codeVerifier: () => store.verifier as string,
      saveDiscoveryState: (state: unknown) => {
        store.discovery = state
      },
      discoveryState: () => store.discovery,
    },
  }
}

const LINES = [
  [
    'the newest client, registered',
    undefined,
    () => new Client({ name: 'newest', version: '1' }),
    StreamableHTTPClientTransport,
  ],
  [
    'the newest client, by its document',
    DOCUMENT,
    () => new Client({ name: 'newest', version: '1' }),
    StreamableHTTPClientTransport,
  ],
  [
    'a client of the former line, registered',
    undefined,
    () => new FormerClient({ name: 'former', version: '1' }),
    FormerTransport,
  ],
  [
    'a client of the former line, by its document',
    DOCUMENT,
    () => new FormerClient({ name: 'former', version: '1' }),
    FormerTransport,
  ],
] as const

it.each(sampled(LINES, 2))(
  '%s, connects by OAuth and makes, follows and fetches a video',
  async (_, document, createClient, Transport) => {
    const user = await kinora.newUser()
    const { provider, asked } = createStore(document)
    const mcp = new URL(`${kinora.url}/mcp`)
    const transport = () => new Transport(mcp, { authProvider: provider as never })
    const first = transport()
    await expect(createClient().connect(first as never)).rejects.toThrow(/unauthorized/i)
    expect(await view(user, asked())).toMatchObject({
      client: { name: 'Probe', host: document ? 'client.example' : null },
      returns_to: null,
      scopes: ['videos:write', 'videos:read', 'account:read'],
    })
    const answer = (await allow(user, asked(), 60)).searchParams
    expect([answer.get('iss'), answer.get('state')]).toEqual([kinora.url, 'state-1'])
    await (first as { finishAuth(code: unknown): Promise<void> }).finishAuth(
      Transport === FormerTransport ? answer.get('code') : answer,
    )

    const client = createClient()
    await client.connect(transport() as never)
    const call = async (name: string, input: object) =>
      (await client.callTool({ name, arguments: input as never })).structuredContent as Record<string, string>
    const { quote_id } = await call('quote', { model: GENERATION.model, prompt: 'A fox' })
    await call('generate', { quote_id })
    await eventually(async () => {
      const { status, film_url } = await call('get', { id: quote_id })
      expect(status).toBe('completed')
      expect((await fetch(film_url!)).headers.get('content-type')).toBe('video/mp4')
    })
    expect(await keysOf(user)).toMatchObject([
      {
        name: 'Probe',
        client: { host: document ? 'client.example' : null },
        credits_per_month: 60,
        spent_this_month: 30,
      },
    ])
  },
)

it('a connection with a limit of 60 credits makes two videos of 30, and is refused the third', async () => {
  const user = await kinora.newUser()
  const grant = { adjustmentId: crypto.randomUUID(), amount: 1_000, reason: 'test' }
  await kinora.services.credits.adjust(user.userId, grant, {
    commandId: crypto.randomUUID(),
    actor: 'operator:test',
    correlationId: crypto.randomUUID(),
  })
  const { tokens, client_id } = await connect(kinora.url, user, { clientId, credits: 60 })
  const order = async (token: string) => {
    const answer = await withToken(token, '/videos/generate', GENERATION)
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }
  expect(await order(tokens.access_token)).toEqual([202, undefined])
  // The limit belongs to the connection, not to a token.
  const next = (await (await refresh(client_id, tokens.refresh_token)).json()) as Tokens
  await eventually(async () => expect(await order(next.access_token)).toEqual([202, undefined]))
  await eventually(async () => expect(await order(next.access_token)).toEqual([402, 'key_limit_reached']))
})

describe('metadata', () => {
  it.each(['oauth-protected-resource', 'oauth-protected-resource/mcp'])(
    'describes the resource at %s',
    async (path) => {
      const answer = await fetch(`${kinora.url}/.well-known/${path}`, { headers: { host: 'evil.example' } })
      expect(await answer.json()).toMatchObject({ resource: `${kinora.url}/mcp`, authorization_servers: [kinora.url] })
    },
  )

  it('describes the server, and nothing else is found there', async () => {
    const answer = await fetch(`${kinora.url}/.well-known/oauth-authorization-server`)
    expect(await answer.json()).toMatchObject({
      issuer: kinora.url,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
    expect((await fetch(`${kinora.url}/.well-known/oauth-other`)).status).toBe(404)
  })
})

describe('a request for access', () => {
  it('of a visitor leads to the sign-in page and back', async () => {
    const address = `${kinora.url}/oauth/authorize?client_id=x&state=y`
    const answer = await fetch(address, { redirect: 'manual' })
    // Without a built site there are no pages to guard.
    if (answer.status === 302)
      expect(answer.headers.get('location')).toBe(
        `/auth/login?next=${encodeURIComponent('/oauth/authorize?client_id=x&state=y')}`,
      )
    expect((await fetch(`${kinora.api}/oauth/request?client_id=x`)).status).toBe(401)
  })

  it.each([
    [{ client_id: undefined }, 'client_unknown'],
    [{ client_id: crypto.randomUUID() }, 'client_unknown'],
    [{ client_id: 'https://client.example/none.json' }, 'client_unknown'],
    [{ redirect_uri: 'https://evil.example/callback' }, 'redirect_refused'],
    [{ redirect_uri: `${CALLBACK}/../evil` }, 'redirect_refused'],
    [{ redirect_uri: `${CALLBACK}?next=https://evil.example` }, 'redirect_refused'],
    [{ redirect_uri: 'javascript:alert(1)' }, 'redirect_refused'],
    [{ response_type: 'token' }, 'access_request_invalid', 'unsupported_response_type'],
    [{ response_type: undefined }, 'access_request_invalid', 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'access_request_invalid', 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'access_request_invalid', 'invalid_request'],
    [{ code_challenge_method: undefined }, 'access_request_invalid', 'invalid_request'],
    [{ resource: 'https://other.example/mcp' }, 'access_request_invalid', 'invalid_target'],
    [{ scope: 'openid admin' }, 'access_request_invalid', 'invalid_scope'],
  ])('with %j is neither shown nor allowed', async (changes, code, error?: string) => {
    const user = await kinora.newUser()
    const { request } = accessRequest(clientId, changes)
    const shown = await user.call('GET', `/oauth/request${authorizeUrl(request).search}`)
    const body = (await shown.json()) as { code: string; refused_url?: string }
    expect(body.code).toBe(code)
    if (error) {
      const refused = new URL(body.refused_url!)
      expect(refused.href).toMatch(new RegExp(`^${CALLBACK}\\?`))
      expect(Object.fromEntries(refused.searchParams)).toMatchObject({ error, state: 'state-1', iss: kinora.url })
    } else expect(body.refused_url).toBeUndefined()
    const allowed = await user.call('POST', '/oauth/consent', { ...request, credits_per_month: 60, password: PASSWORD })
    expect(((await allowed.json()) as { code: string }).code).toBe(code)
    expect(await keysOf(user)).toEqual([])
  })

  it('needs the password and a limit, and comes from this site alone', async () => {
    const user = await kinora.newUser()
    const { request } = accessRequest(clientId)
    const allowWith = async (body: object, headers = {}) => {
      const answer = await user.call('POST', '/oauth/consent', { ...request, ...body }, headers)
      return [answer.status, ((await answer.json()) as { code: string }).code]
    }
    const whole = { credits_per_month: 60, password: PASSWORD }
    expect(await allowWith({ ...whole, password: undefined })).toEqual([422, 'invalid_input'])
    expect(await allowWith({ ...whole, password: 'wrong horse' })).toEqual([422, 'invalid_input'])
    expect(await allowWith({ ...whole, credits_per_month: undefined })).toEqual([422, 'invalid_input'])
    expect(await allowWith({ ...whole, credits_per_month: 0 })).toEqual([422, 'invalid_input'])
    expect(await allowWith(whole, { origin: 'https://evil.example' })).toEqual([403, 'cross_site'])
    const form = await fetch(`${kinora.api}/oauth/consent`, {
      method: 'POST',
      headers: { cookie: user.cookie },
      body: new URLSearchParams({ ...(request as Record<string, string>), password: PASSWORD }),
    })
    expect(form.status).toBe(415)
    expect(await keysOf(user)).toEqual([])
  })

  it('is answered at another port of this computer, and gets only what it asks for', async () => {
    const user = await kinora.newUser()
    const redirect_uri = 'http://127.0.0.1:50123/callback'
    const { request } = accessRequest(clientId, {
      redirect_uri,
      scope: 'videos:read offline_access',
    })
    expect((await view(user, authorizeUrl(request))).scopes).toEqual(['videos:read'])
    expect((await allow(user, authorizeUrl(request))).origin).toBe('http://127.0.0.1:50123')
    expect(await keysOf(user)).toMatchObject([{ scopes: ['videos:read'], credits_per_month: null }])
  })
})

describe('a document of a client', () => {
  it.each([
    ['of another id', { client_id: DOCUMENT }],
    ['with a dangerous address', { redirect_uris: [CALLBACK, 'javascript:alert(1)'] }],
    ['without addresses', { redirect_uris: [] }],
    ['of a client with a secret', { token_endpoint_auth_method: 'client_secret_post' }],
    ['that is too large', { policy: 'x'.repeat(6_000) }],
  ])('%s is not used', async (name, document) => {
    const id = `https://client.example/${encodeURIComponent(name)}.json`
    publish(id, document)
    const { request } = accessRequest(id)
    expect((await view(await kinora.newUser(), authorizeUrl(request))).code).toBe('client_unknown')
  })

  it('that is elsewhere by a redirect is not used', async () => {
    const id = 'https://client.example/moved.json'
    publish(id, {}, 302)
    const { request } = accessRequest(id)
    expect((await view(await kinora.newUser(), authorizeUrl(request))).code).toBe('client_unknown')
  })

  it.each([
    'http://client.example/mcp.json',
    'https://client.example/',
    'https://client.example/a/../mcp.json',
    'https://CLIENT.example/mcp.json',
    'https://client.example/mcp.json#x',
    'https://user@client.example/mcp.json',
  ])('at %s is not asked for', async (id) => {
    publish(id, {})
    const { request } = accessRequest(id)
    expect((await view(await kinora.newUser(), authorizeUrl(request))).code).toBe('client_unknown')
  })

  it('is not asked for at addresses that the guard refuses', async () => {
    let user!: TestUser
    for (const [n, id] of REFUSED_ADDRESSES.entries()) {
      // A user may ask for access so often.
      if (n % 10 === 0) user = await kinora.newUser()
      publish(id, {})
      const { request } = accessRequest(id)
      expect([id, (await view(user, authorizeUrl(request))).code]).toEqual([id, 'client_unknown'])
    }
  })
})

describe('a code', () => {
  /** Lets a user allow a client, and returns the form that exchanges the code. */
  const allowed = async () => {
    const user = await kinora.newUser()
    const { request, verifier } = accessRequest(clientId)
    const code = (await allow(user, authorizeUrl(request))).searchParams.get('code')!
    return {
      user,
      form: {
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        redirect_uri: CALLBACK,
        code_verifier: verifier,
      },
    }
  }

  it.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['a short verifier', { code_verifier: 'x' }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['another address', { redirect_uri: 'http://127.0.0.1:4259/other' }, 'invalid_grant'],
    ['no address', { redirect_uri: '' }, 'invalid_request'],
    ['another client', { client_id: crypto.randomUUID() }, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another kind', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['another code', { code: 'kinc_x' }, 'invalid_grant'],
  ])('is refused with %s', async (_, changes, error) => {
    const { form } = await allowed()
    expect(await fault(await postForm(kinora.url, { ...form, ...changes }))).toEqual([400, error])
  })

  it('is refused when it is guessed at with a wrong verifier, also with the right one afterwards', async () => {
    const { user, form } = await allowed()
    await postForm(kinora.url, { ...form, code_verifier: 'x'.repeat(43) })
    expect(await fault(await postForm(kinora.url, form))).toEqual([400, 'invalid_grant'])
    expect(await keysOf(user)).toEqual([])
  })

  it('is refused after a minute', async () => {
    const { form } = await allowed()
    ahead += 61_000
    expect(await fault(await postForm(kinora.url, form))).toEqual([400, 'invalid_grant'])
  })

  it('that is used twice ends the connection', async () => {
    const { user, form } = await allowed()
    const { access_token, refresh_token } = (await (await postForm(kinora.url, form)).json()) as Tokens
    expect(await works(access_token)).toBe(200)
    expect(await fault(await postForm(kinora.url, form))).toEqual([400, 'invalid_grant'])
    expect(await works(access_token)).toBe(401)
    expect(await fault(await refresh(form.client_id, refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await keysOf(user)).toEqual([])
  })

  it('makes at most one pair of tokens for forty exchanges at once', async () => {
    const { form } = await allowed()
    const answers = await Promise.all(Array.from({ length: 40 }, () => postForm(kinora.url, form)))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  })

  it('is no token, and a form with a parameter twice or of another type is refused', async () => {
    const { form } = await allowed()
    expect(await works(form.code)).toBe(401)
    const twice = `${new URLSearchParams(form)}&client_id=${crypto.randomUUID()}`
    const post = (body: string, type: string) =>
      fetch(`${kinora.url}/oauth/token`, { method: 'POST', headers: { 'content-type': type }, body })
    expect(await fault(await post(twice, 'application/x-www-form-urlencoded'))).toEqual([400, 'invalid_request'])
    expect(await fault(await post(JSON.stringify(form), 'application/json'))).toEqual([400, 'invalid_request'])
  })
})

describe('a refresh token', () => {
  it('is exchanged for the next one, and an access token works for an hour', async () => {
    const { tokens, client_id } = await connect(kinora.url, await kinora.newUser(), { clientId })
    expect(tokens).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'videos:write videos:read account:read',
    })
    expect(tokens.access_token).toMatch(/^kino_/)
    ahead += 3_601_000
    expect(await works(tokens.access_token)).toBe(401)
    const next = (await (await refresh(client_id, tokens.refresh_token)).json()) as Tokens
    expect(await works(next.access_token)).toBe(200)
    expect(await works(next.refresh_token)).toBe(401)
  })

  it('that is used again after half a minute ends the connection', async () => {
    const user = await kinora.newUser()
    const { tokens, client_id } = await connect(kinora.url, user, { clientId })
    const next = (await (await refresh(client_id, tokens.refresh_token)).json()) as Tokens
    ahead += 31_000
    expect(await fault(await refresh(client_id, tokens.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await works(next.access_token)).toBe(401)
    expect(await keysOf(user)).toEqual([])
  })

  it('that two processes of a program use at once leaves both connected', async () => {
    const { tokens, client_id } = await connect(kinora.url, await kinora.newUser(), { clientId })
    const answers = await Promise.all([
      refresh(client_id, tokens.refresh_token),
      refresh(client_id, tokens.refresh_token),
    ])
    for (const answer of answers) expect(await works(((await answer.json()) as Tokens).access_token)).toBe(200)
  })

  it('of another client is refused and ends nothing', async () => {
    const user = await kinora.newUser()
    const [{ tokens }, other] = [await connect(kinora.url, user, { clientId }), await registerClient(kinora.url)]
    expect(await fault(await refresh(other, tokens.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await fault(await refresh(other, tokens.access_token))).toEqual([400, 'invalid_grant'])
    expect(await works(tokens.access_token)).toBe(200)
  })
})

describe('a connection', () => {
  it('is ended by its client, by its user, and with the account', async () => {
    const user = await kinora.newUser()
    const revoke = (token: string) => postForm(kinora.url, { token }, 'revoke')
    const [first, second, third] = [
      await connect(kinora.url, user, { clientId }),
      await connect(kinora.url, user, { clientId }),
      await connect(kinora.url, user, { clientId }),
    ]
    expect((await revoke(first.tokens.refresh_token)).status).toBe(200)
    expect(await works(first.tokens.access_token)).toBe(401)
    expect((await revoke('kinr_unknown')).status).toBe(200)
    const ids = (await keysOf(user)).map(({ id }) => id)
    expect(ids).toHaveLength(2)
    expect((await user.call('DELETE', `/keys/${ids[1]}`)).status).toBe(204)
    expect(await works(second.tokens.access_token)).toBe(401)
    expect(await fault(await refresh(second.client_id, second.tokens.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await works(third.tokens.access_token)).toBe(200)
    expect((await user.call('POST', '/users/delete', { password: PASSWORD })).status).toBe(200)
    expect(await works(third.tokens.access_token)).toBe(401)
    expect(await fault(await refresh(third.client_id, third.tokens.refresh_token))).toEqual([400, 'invalid_grant'])
  })

  it('that someone found, or the operator ended, is mailed about as a connection', async () => {
    const user = await kinora.newUser()
    const { tokens } = await connect(kinora.url, user, { clientId })
    await fetch(`${kinora.url}/v1/keys/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: tokens.access_token }),
    })
    await connect(kinora.url, user, { clientId })
    const { apiKeys, outbox } = kinora.services
    const ended = (await apiKeys.endAny((await keysOf(user))[0]!.id))!
    await createKeyMails(kinora.context.database, outbox, () => kinora.url).stopped(user.userId, ended)
    const mails = await eventually(async () => {
      const mails = (await kinora.mails(user.email)).filter(({ subject }) => subject.includes('was ended'))
      expect(mails).toHaveLength(2)
      return mails
    })
    expect(mails.map(({ subject }) => subject)).toEqual(Array(2).fill('A connection to Kinora was ended'))
    for (const { text } of mails) expect(text).toMatch(/your connection “Probe”(?!.*API key)/s)
  })

  it('is not rotated, and counts apart from keys', async () => {
    const user = await kinora.newUser()
    await connect(kinora.url, user, { clientId })
    const [{ id } = { id: '' }] = await keysOf(user)
    expect((await user.call('POST', `/keys/${id}/rotate`, { password: PASSWORD })).status).toBe(404)
    expect(await kinora.services.apiKeys.expiring()).toEqual([])
  })

  it('of a suspended account opens nothing', async () => {
    const user = await kinora.newUser()
    const { tokens } = await connect(kinora.url, user, { clientId })
    const action = { actionId: crypto.randomUUID(), userId: user.userId, at: new Date().toISOString() }
    await kinora.context.database.em.fork().transactional((tx) => setSuspended(tx, action, true))
    const list = async () => {
      const answer = await fetch(`${kinora.url}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      return [answer.status, ((await answer.json()) as { error: { code: string } }).error.code]
    }
    await eventually(async () => expect(await list()).toEqual([403, 'account_suspended']))
  })

  it('ends after a year, however often it is refreshed', async () => {
    const { tokens, client_id } = await connect(kinora.url, await kinora.newUser(), { clientId })
    let { refresh_token } = tokens
    for (let month = 1; month <= 12; month++) {
      ahead += 29 * 24 * 3_600_000
      const answer = await refresh(client_id, refresh_token)
      expect([month, answer.status]).toEqual([month, 200])
      refresh_token = ((await answer.json()) as Tokens).refresh_token
    }
    ahead += 29 * 24 * 3_600_000
    expect(await fault(await refresh(client_id, refresh_token))).toEqual([400, 'invalid_grant'])
  })

  it('is in the security log of its user', async () => {
    const user = await kinora.newUser()
    await connect(kinora.url, user, { clientId })
    const { records } = (await (await user.call('GET', '/users/security')).json()) as { records: { event: string }[] }
    expect(records[0]?.event).toBe('connection_allowed')
  })
})

describe('registration', () => {
  it.each([
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: 'https://a.example' }, 'invalid_redirect_uri'],
    [{ redirect_uris: Array(11).fill(CALLBACK) }, 'invalid_redirect_uri'],
    [{ client_name: 7 }, 'invalid_client_metadata'],
  ])('with %j is refused', async (body, error) => {
    const answer = await fetch(`${kinora.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [CALLBACK], ...body }),
    })
    expect(await fault(answer)).toEqual([400, error])
  })

  it('cleans the name that users will read', async () => {
    const user = await kinora.newUser()
    const id = await registerClient(kinora.url, { client_name: `\u202eKinora\u0000  ${'x'.repeat(200)}` })
    const { client } = await view(user, authorizeUrl(accessRequest(id).request))
    expect(client.name).toMatch(/^Kinora x+$/)
    expect(client.name.length).toBeLessThanOrEqual(60)
  })

  it('is limited for a network, and unused clients are removed', async () => {
    const { clients } = kinora.services
    const metadata = { redirect_uris: [CALLBACK] }
    const made: string[] = []
    for (let n = 0; n < 200; n++) made.push((await clients.register(metadata)).client_id)
    ahead += 25 * 3_600_000
    await clients.removeUnused()
    expect(await clients.find(made[0]!)).toBeUndefined()
    expect(await clients.find(clientId)).toMatchObject({ name: 'Probe' })
    const statuses: number[] = []
    for (let n = 0; n < 100 && !statuses.includes(429); n++)
      statuses.push(
        (await fetch(`${kinora.url}/oauth/register`, { method: 'POST', body: JSON.stringify(metadata) })).status,
      )
    expect(statuses).toContain(429)
    await kinora.context.pool.query('delete from throttle')
  })
})
