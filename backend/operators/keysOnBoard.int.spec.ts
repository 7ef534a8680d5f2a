import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiKey } from '../apiKeys/contract.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { eventually } from '../testing/eventually.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }

let kinora: TestKinora
let cookie = ''
beforeAll(async () => {
  const env = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password }
  kinora = await startTestKinora({ provider: await createProviderDouble(), env })
  cookie = (await kinora.post('/analytics/login', OPERATOR)).headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(() => kinora?.close())

const call = (method: string, path: string) => fetch(`${kinora.api}/analytics${path}`, { method, headers: { cookie } })
const read = async <T>(path: string) => (await call('GET', path)).json() as Promise<T>
const list = (query = '') => read<{ keys: (ApiKey & { email: string })[]; total: number }>(`/keys${query}`)
const statusWith = async (key: string) =>
  (await fetch(`${kinora.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status

// The last test sets up a second factor.
describe('the operator', { shuffle: false }, () => {
  it('sees the keys of all users with what they spent, and no secret', async () => {
    const { apiKeys } = kinora.services
    const [one, other] = [await kinora.newUser(), await kinora.newUser()]
    const settings = { scopes: ['videos:write' as const], credits_per_day: 30, expires_in_days: 90 }
    const first = await apiKeys.create(one.userId, { name: 'First', ...settings })
    const second = await apiKeys.create(other.userId, { name: 'Second', ...settings })
    const gone = await apiKeys.create(other.userId, { name: 'Gone', ...settings })
    await apiKeys.end(other.userId, gone.id)
    const body = JSON.stringify({ model: 'MiniMax-Hailuo-02', prompt: 'A cat', seconds: 6 })
    const headers = { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' }
    expect((await fetch(`${kinora.url}/v1/videos`, { method: 'POST', headers, body })).status).toBe(200)

    const { keys, total } = await list()
    expect([total, keys.map(({ name, email }) => [name, email])]).toEqual([
      2,
      [
        ['Second', other.email],
        ['First', one.email],
      ],
    ])
    expect(keys[1]).toMatchObject({
      ...{ hint: first.key.slice(-4), scopes: ['videos:write'], credits_per_day: 30, credits_per_month: null },
      ...{ spent_today: 30, spent_this_month: 30, last_used_at: expect.any(String), expires_at: expect.any(String) },
    })
    expect(JSON.stringify(keys)).not.toContain(second.key.slice(4, 36))
    expect((await list('?page=2&per_page=1')).keys.map(({ name }) => name)).toEqual(['First'])
  })

  it('ends a key, of which its owner learns by mail and in the security log', async () => {
    const user = await kinora.newUser()
    const settings = { name: 'Script', scopes: ['videos:read' as const], expires_in_days: null }
    const { id, key, hint } = await kinora.services.apiKeys.create(user.userId, settings)
    expect(await statusWith(key)).toBe(200)
    expect((await call('DELETE', `/keys/${id}`)).status).toBe(204)
    expect(await statusWith(key)).toBe(401)
    for (const ended of [id, 'x', crypto.randomUUID()])
      expect((await call('DELETE', `/keys/${ended}`)).status).toBe(404)

    const { actions } = await read<{ actions: object[] }>('/actions')
    expect(actions[0]).toMatchObject({ action: 'api_key_ended', detail: `key ${id} …${hint}, user ${user.userId}` })
    const { records } = (await (await user.call('GET', '/users/security')).json()) as { records: object[] }
    expect(records[0]).toMatchObject({ event: 'api_key_ended_by_operator', browser: null, system: null, network: null })
    await eventually(async () => {
      const [mail] = await kinora.mails(user.email)
      expect(mail?.text).toContain(`The operator of this installation ended your API key “Script” (…${hint})`)
    })
  })

  it('ends no key before the second factor is proved again', async () => {
    const user = await kinora.newUser()
    const settings = { name: 'Script', scopes: ['videos:read' as const], expires_in_days: null }
    const { id, key } = await kinora.services.apiKeys.create(user.userId, settings)
    const begun = await kinora.post('/analytics/totp', { password: OPERATOR.password }, { cookie })
    const { secret } = (await begun.json()) as { secret: string }
    const code = TOTP.generate({ secret: new TOTP({ secret }).secret })
    await kinora.post('/analytics/totp/confirm', { code }, { cookie })
    await kinora.context.pool.query(`update operator_session set stepped_up_at = now() - interval '11 minutes'`)
    const refused = await call('DELETE', `/keys/${id}`)
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'step_up_required'])
    expect(await statusWith(key)).toBe(200)
  })
})
