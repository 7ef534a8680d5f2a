import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import type { ApiKey } from './contract.ts'
import { KEY_FORM, makeKey } from './keyText.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora?.close())

const PASSWORD = 'correct horse'
const DAY_MS = 24 * 3_600_000
type NewKey = ApiKey & { key: string }

const order = (user: TestUser, body: object = {}) =>
  user.call('POST', '/keys', { name: 'Script', scopes: ['videos:read'], password: PASSWORD, ...body })
const make = async (user: TestUser, body: object = {}) => {
  const answer = await order(user, body)
  expect(answer.status).toBe(201)
  return (await answer.json()) as NewKey
}
/** Lets a key expire, on this process at once. */
const expire = async (id: string) => {
  await kinora.context.pool.query('update api_key set expires_at = created_at where id = $1', [id])
  kinora.services.keyDoor.forget()
}
const keysOf = async (user: TestUser) => ((await (await user.call('GET', '/keys')).json()) as { keys: ApiKey[] }).keys
const withKey = (key: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  fetch(kinora.api + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
const outcome = async (answer: Response) => {
  const { code, reason } = (await answer.json()) as { code?: string; reason?: string }
  return [answer.status, code, ...(reason ? [reason] : [])]
}

describe('a new key', () => {
  it('is shown once, and listed without its secret', async () => {
    const user = await kinora.newUser()
    const key = await make(user, { name: ' My \u202escript ', credits_per_month: 90, models: ['demo'] })
    expect(key).toMatchObject({ name: 'My script', scopes: ['videos:read'], hint: key.key.slice(-4), models: ['demo'] })
    expect(key).toMatchObject({ credits_per_month: 90, credits_per_day: null, spent_this_month: 0, last_used_at: null })
    expect(key.key).toMatch(KEY_FORM)
    const { key: _, ...shown } = key
    expect(await keysOf(user)).toEqual([shown])
    const { rows } = await kinora.context.pool.query('select * from api_key where id = $1', [key.id])
    expect(JSON.stringify(rows)).not.toContain(key.key.slice(4, 36))
  })

  it('has each scope once', async () => {
    const scopes = ['videos:read', 'videos:write', 'videos:read']
    expect((await make(await kinora.newUser(), { scopes })).scopes).toEqual(['videos:read', 'videos:write'])
  })

  it('expires in 90 days unless another time or never is chosen', async () => {
    const user = await kinora.newUser()
    const lifeOf = ({ created_at, expires_at }: ApiKey) => expires_at && Date.parse(expires_at) - Date.parse(created_at)
    expect(lifeOf(await make(user))).toBe(90 * DAY_MS)
    expect(lifeOf(await make(user, { expires_in_days: 7 }))).toBe(7 * DAY_MS)
    expect(lifeOf(await make(user, { expires_in_days: null }))).toBeNull()
  })

  it.each([
    [{ name: '\u200b' }, 'name', 'required'],
    [{ scopes: [] }, 'scopes', 'required'],
    [{ scopes: ['billing'] }, 'scopes.0', 'invalid_choice'],
    [{ credits_per_day: 0 }, 'credits_per_day', 'too_small'],
    [{ networks: ['office'] }, 'networks.0', 'invalid_network'],
    [{ expires_in_days: 0 }, 'expires_in_days', 'too_small'],
    [{ password: 'wrong horse' }, 'password', 'wrong_password'],
    [{ password: undefined }, 'password', 'required'],
  ])('with %j is refused by name', async (body, path, code) => {
    const answer = await order(await kinora.newUser(), body)
    expect(answer.status).toBe(422)
    expect(((await answer.json()) as { errors: unknown[] }).errors).toMatchObject([{ path, code }])
  })

  it('is refused beyond twenty, also to concurrent calls', async () => {
    const user = await kinora.newUser()
    const make = (name: string) =>
      kinora.services.apiKeys.create(user.userId, { name, scopes: ['videos:read'], expires_in_days: null })
    const made = await Promise.allSettled(Array.from({ length: 30 }, (_, n) => make(`key ${n}`)))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect(await outcome(await order(user))).toEqual([409, 'too_many_keys'])
  })
})

describe('a call with a key', () => {
  it('acts for its user, records the use, and ignores cookies', async () => {
    const [user, stranger] = [await kinora.newUser(), await kinora.newUser()]
    const { key } = await make(user, { scopes: ['account:read'] })
    const answer = await withKey(key, 'GET', '/credits/history', undefined, { cookie: stranger.cookie })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ total: 1 })
    expect(await keysOf(user)).toMatchObject([{ last_used_at: expect.any(String), last_network: '127.0.0.0/24' }])
    expect(await outcome(await withKey('none', 'GET', '/credits/history', undefined, { cookie: user.cookie }))).toEqual(
      [401, 'invalid_api_key', 'mistyped'],
    )
  })

  it('with a header that is no whole key is refused, and not made with the cookies beside it', async () => {
    const user = await kinora.newUser()
    const { key } = await make(user)
    for (const authorization of ['Bearer', 'Bearer ', `Bearer ${key} x`, `bearer  ${key}\tx`]) {
      const answer = await fetch(`${kinora.api}/keys`, { headers: { authorization, cookie: user.cookie } })
      expect([authorization, ...(await outcome(answer))]).toEqual([authorization, 401, 'invalid_api_key', 'mistyped'])
    }
  })

  it('may come from a page of another site, which a session may not', async () => {
    const user = await kinora.newUser()
    const { key } = await make(user, { scopes: ['videos:write'] })
    const origin = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    expect((await withKey(key, 'POST', '/videos/generate', GENERATION, origin)).status).toBe(202)
    expect(await outcome(await user.call('POST', '/videos/generate', GENERATION, origin))).toEqual([403, 'cross_site'])
  })

  it('is refused with the reason', async () => {
    const user = await kinora.newUser()
    const { key, id } = await make(user, { expires_in_days: 1 })
    const call = async (text: string) => outcome(await withKey(text, 'GET', '/videos/tasks'))
    expect(await call(key)).toEqual([200, undefined])
    expect(await call(`${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`)).toEqual([
      401,
      'invalid_api_key',
      'mistyped',
    ])
    expect(await call(makeKey())).toEqual([401, 'invalid_api_key', 'unknown'])
    expect((await user.call('DELETE', `/keys/${id}`)).status).toBe(204)
    expect(await call(key)).toEqual([401, 'invalid_api_key', 'ended'])
    const expired = await make(user)
    await expire(expired.id)
    expect(await call(expired.key)).toEqual([401, 'invalid_api_key', 'expired'])
    expect(await keysOf(user)).toEqual([])
  })

  it('is refused without the scope, and by what no key opens', async () => {
    const user = await kinora.newUser()
    const { key } = await make(user)
    expect(await outcome(await withKey(key, 'POST', '/videos/generate', GENERATION))).toEqual([403, 'key_scope'])
    expect(await outcome(await withKey(key, 'GET', '/keys'))).toEqual([403, 'key_scope'])
  })

  it('is refused from other networks than its own', async () => {
    const user = await kinora.newUser()
    const inside = await make(user, { networks: ['127.0.0.0/8', '::1'] })
    const mapped = await make(user, { networks: ['::ffff:127.0.0.1'] })
    expect((await withKey(mapped.key, 'GET', '/videos/tasks')).status).toBe(200)
    const outside = await make(user, { networks: ['192.0.2.0/24'] })
    expect((await withKey(inside.key, 'GET', '/videos/tasks')).status).toBe(200)
    expect(await outcome(await withKey(outside.key, 'GET', '/videos/tasks'))).toEqual([403, 'key_network'])
    expect((await keysOf(user))[0]).toMatchObject({ id: outside.id, last_used_at: null, last_network: null })
  })

  it('orders only the models of its key, and up to its limit of credits', async () => {
    const user = await kinora.newUser()
    const settings = { scopes: ['videos:write'], models: ['MiniMax-Hailuo-02'], credits_per_day: 30 }
    const { key } = await make(user, settings)
    const generate = (body: object = {}) => withKey(key, 'POST', '/videos/generate', { ...GENERATION, ...body })
    expect(await outcome(await generate({ model: 'I2V-01', task_type: 'text_to_video' }))).not.toEqual([202, undefined])
    expect((await generate()).status).toBe(202)
    expect(await (await generate()).json()).toMatchObject({
      status: 402,
      code: 'key_limit_reached',
      required: 30,
      limit: 30,
      spent: 30,
    })
    expect(await keysOf(user)).toMatchObject([{ spent_today: 30, spent_this_month: 30 }])
  })
})

describe('a rotated key', () => {
  it('goes on beside the new one until the overlap ends, and both share one purse', async () => {
    const user = await kinora.newUser()
    const former = await make(user, { scopes: ['videos:write'], credits_per_month: 30, expires_in_days: 30 })
    const answer = await user.call('POST', `/keys/${former.id}/rotate`, { overlap_hours: 1, password: PASSWORD })
    expect(answer.status).toBe(201)
    const made = (await answer.json()) as NewKey
    expect(made).toMatchObject({ name: 'Script', scopes: ['videos:write'], credits_per_month: 30 })
    expect((await withKey(former.key, 'POST', '/videos/generate', GENERATION)).status).toBe(202)
    expect(await outcome(await withKey(made.key, 'POST', '/videos/generate', GENERATION))).toEqual([
      402,
      'key_limit_reached',
    ])
    await expire(former.id)
    expect(await outcome(await withKey(former.key, 'POST', '/videos/generate', GENERATION))).toEqual([
      401,
      'invalid_api_key',
      'expired',
    ])
    expect((await keysOf(user))[0]?.id).toBe(made.id)
  })
})

it('a key that is rotated again during its overlap has successors with the whole lifetime', async () => {
  const user = await kinora.newUser()
  const lives = async (days: number | null) => {
    const { id } = await make(user, { expires_in_days: days })
    const rotate = async () =>
      (
        await user.call('POST', `/keys/${id}/rotate`, { overlap_hours: 1, password: PASSWORD })
      ).json() as Promise<NewKey>
    return [await rotate(), await rotate()].map(({ created_at, expires_at }) =>
      expires_at === null ? null : Date.parse(expires_at) - Date.parse(created_at),
    )
  }
  expect(await lives(30)).toEqual([30 * DAY_MS, 30 * DAY_MS])
  expect(await lives(null)).toEqual([null, null])
})

it('keys of one user are neither seen, rotated nor ended by another', async () => {
  const [user, stranger] = [await kinora.newUser(), await kinora.newUser()]
  const { id, key } = await make(user)
  expect(await keysOf(stranger)).toEqual([])
  for (const wrong of [id, 'x']) {
    expect((await stranger.call('DELETE', `/keys/${wrong}`)).status).toBe(404)
    expect((await stranger.call('POST', `/keys/${wrong}/rotate`, { password: PASSWORD })).status).toBe(404)
  }
  expect((await withKey(key, 'GET', '/videos/tasks')).status).toBe(200)
})

it('keys end with their account', async () => {
  const user = await kinora.newUser()
  const { key } = await make(user)
  expect((await user.call('POST', '/users/delete', { password: PASSWORD })).status).toBe(200)
  kinora.services.keyDoor.forget()
  expect(await outcome(await withKey(key, 'GET', '/videos/tasks'))).toEqual([401, 'invalid_api_key', 'unknown'])
})

it('making, rotating and ending a key is in the security log', async () => {
  const user = await kinora.newUser()
  const { id } = await make(user)
  const rotated = (await (await user.call('POST', `/keys/${id}/rotate`, { password: PASSWORD })).json()) as NewKey
  await user.call('DELETE', `/keys/${rotated.id}`)
  const { records } = (await (await user.call('GET', '/users/security')).json()) as { records: { event: string }[] }
  expect(records.slice(0, 3).map(({ event }) => event)).toEqual(['api_key_ended', 'api_key_rotated', 'api_key_created'])
})
