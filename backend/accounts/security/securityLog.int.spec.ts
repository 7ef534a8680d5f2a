import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { TestUser } from '../../testing/testUser.ts'
import type { SecurityRecord } from '../contract.ts'
import { deleteOldSecurityRecords } from './securityLog.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
const PASSWORD = 'correct horse'
const CHROME = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36'

let kinora: TestKinora
beforeAll(async () => {
  const env = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password }
  kinora = await startTestKinora({ provider: await createProviderDouble(), env })
})
afterAll(() => kinora.close())

const signIn = async (email: string, password = PASSWORD, headers: Record<string, string> = {}) => {
  const answer = await kinora.post('/auth/login', { email, password }, { 'user-agent': CHROME, ...headers })
  // A failure or refusal is recorded after the answer, and the mailbox waits for it.
  if (answer.status >= 400) await kinora.mails(email)
  return answer
}
const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
const recordsOf = async (user: TestUser, query = '') =>
  (await (await user.call('GET', `/users/security${query}`)).json()) as { records: SecurityRecord[]; total: number }
const eventsOf = async (user: TestUser) => (await recordsOf(user, '?per_page=100')).records.map(({ event }) => event)
const query = (sql: string, values: unknown[] = []) => kinora.context.pool.query(sql, values)
const newDeviceMail = async ({ email }: TestUser) => {
  const mail = (await kinora.mails(email)).find(({ subject }) => subject.includes('New sign-in'))
  return mail && { text: mail.text, token: /token=([\w-]+)&secure=1/.exec(mail.text)![1]! }
}

describe('the security log of a user', () => {
  it('lists sign-ins, failures and session ends with device and network, newest first, in pages', async () => {
    const user = await kinora.newUser()
    await signIn(user.email, 'not my horse')
    await kinora.post('/auth/logout', undefined, { cookie: cookiesOf(await signIn(user.email)) })
    const { records, total } = await recordsOf(user, '?per_page=2')
    expect([total, records.map(({ event }) => event)]).toEqual([5, ['signed_out', 'signed_in']])
    expect((await recordsOf(user, '?per_page=2&page=2')).records).toEqual([
      {
        id: expect.any(String),
        at: expect.stringMatching(/Z$/),
        event: 'new_device',
        browser: 'Chrome',
        system: 'Windows',
        network: '127.0.0.0/24',
      },
      expect.objectContaining({ event: 'sign_in_failed' }),
    ])
    expect((await recordsOf(user, '?per_page=2&page=3')).records.map(({ event }) => event)).toEqual(['signed_in'])
  })

  it('is shown to its owner only', async () => {
    const [user, other] = [await kinora.newUser(), await kinora.newUser()]
    await signIn(user.email, 'not my horse')
    expect(await eventsOf(other)).toEqual(['signed_in'])
    expect((await fetch(`${kinora.api}/users/security`)).status).toBe(401)
  })

  it('records password changes, resets, ended sessions and reuse of a stolen token', async () => {
    const user = await kinora.newUser()
    await user.call('DELETE', '/users/sessions')
    const elsewhere = cookiesOf(await signIn(user.email))
    const { sessions } = (await (await user.call('GET', '/users/sessions')).json()) as { sessions: { id: string }[] }
    await user.call('DELETE', `/users/sessions/${sessions[0]!.id}`)
    await kinora.post('/auth/forgot-password', { email: user.email })
    const token = /reset-password\?token=([\w-]+)/.exec((await kinora.mails(user.email))[0]!.text)![1]
    const events = await eventsOf(user)
    expect(events.slice(0, 2)).toEqual(['reset_requested', 'session_ended'])
    expect(events).toContain('other_sessions_ended')
    expect((await kinora.post('/auth/reset-password', { token, new_password: 'a better horse' })).status).toBe(200)
    const again = cookiesOf(await signIn(user.email, 'a better horse'))
    const current = { ...user, call: withCookie(again) }
    expect((await eventsOf(current)).slice(0, 2)).toEqual(['signed_in', 'password_reset'])
    expect(elsewhere).not.toBe(again)
    await query(`update session set generation = 2, rotated_at = now() - interval '1 hour' where user_id = $1`, [
      user.userId,
    ])
    expect((await kinora.post('/auth/refresh', undefined, { cookie: again })).status).toBe(401)
    const last = await query('select event from security_record where user_id = $1 order by id desc limit 1', [
      user.userId,
    ])
    expect(last.rows).toEqual([{ event: 'session_stolen' }])
  })

  it('records a flood of refused attempts once a minute', async () => {
    const user = await kinora.newUser()
    for (let attempt = 0; attempt < 14; attempt++) await signIn(user.email, 'not my horse')
    const events = await eventsOf(user)
    expect(events.filter((event) => event === 'sign_in_failed')).toHaveLength(10)
    expect(events.filter((event) => event === 'throttled')).toHaveLength(1)
  })

  it('cannot be changed, is deleted after 90 days, and disappears with the account', async () => {
    const user = await kinora.newUser()
    const row = [user.userId]
    await expect(query(`update security_record set event = 'x' where user_id = $1`, row)).rejects.toThrow(/append-only/)
    await expect(query('delete from security_record where user_id = $1', row)).rejects.toThrow(/append-only/)
    await query(
      `insert into security_record (at, user_id, event) values (now() - interval '91 days', $1, 'signed_in'),
         (now() - interval '91 days', null, 'throttled')`,
      row,
    )
    await deleteOldSecurityRecords(kinora.context.pool)
    expect(await eventsOf(user)).toEqual(['signed_in'])
    expect((await user.call('POST', '/users/delete', { password: PASSWORD })).status).toBe(200)
    expect((await query('select from security_record where user_id = $1', row)).rowCount).toBe(0)
  })
})

const withCookie =
  (cookie: string): TestUser['call'] =>
  (method, path) =>
    fetch(kinora.api + path, { method, headers: { cookie } })

describe('a new device', () => {
  it('is mailed with device and network, but neither the first one nor one that signed in before', async () => {
    const user = await kinora.newUser()
    expect(await newDeviceMail(user)).toBeUndefined()
    const cookie = cookiesOf(await signIn(user.email))
    expect((await newDeviceMail(user))!.text).toContain('(Chrome · Windows · 127.0.0.0/24, ')
    const count = async () => (await kinora.mails(user.email)).length
    const before = await count()
    await signIn(user.email, PASSWORD, { cookie, 'user-agent': 'Firefox/140.0' })
    await signIn(user.email)
    expect(await count()).toBe(before)
  })

  it('can be disowned: every session ends, the password stops working, and a new one is set', async () => {
    const user = await kinora.newUser()
    const intruder = cookiesOf(await signIn(user.email))
    const { token } = (await newDeviceMail(user))!
    await kinora.post('/auth/forgot-password', { email: user.email })
    const intruders = /reset-password\?token=([\w-]+)/.exec((await kinora.mails(user.email))[0]!.text)![1]
    const answer = await kinora.post('/auth/secure', { token })
    expect(answer.status).toBe(200)
    const stolen = { token: intruders, new_password: 'of an intruder' }
    expect((await kinora.post('/auth/reset-password', stolen)).status).toBe(422)
    const { reset_token } = (await answer.json()) as { reset_token: string }
    for (const cookie of [user.cookie, intruder])
      expect((await fetch(`${kinora.api}/auth/me`, { headers: { cookie } })).status).toBe(401)
    expect((await signIn(user.email)).status).toBe(401)
    expect((await kinora.post('/auth/secure', { token })).status).toBe(422)
    const reset = { token: reset_token, new_password: 'a better horse' }
    expect((await kinora.post('/auth/reset-password', reset)).status).toBe(200)
    const current = cookiesOf(await signIn(user.email, 'a better horse'))
    const events = await eventsOf({ ...user, call: withCookie(current) })
    expect(events.slice(0, 5)).toEqual(['signed_in', 'new_device', 'password_reset', 'sign_in_failed', 'secured'])
  })

  it('can be disowned with the API keys and webhooks that were made since, and leaves older ones', async () => {
    const user = await kinora.newUser()
    const addWebhook = async (name: string, cookie: string) => {
      const order = { name, url: 'https://films.example/hook', event_types: ['video.completed'] }
      expect((await kinora.post('/webhook_endpoints', order, { cookie })).status).toBe(200)
    }
    const keyOf = async (cookie: string) => {
      const order = { name: 'Script', scopes: ['videos:read'], expires_in_days: null, password: PASSWORD }
      return ((await (await kinora.post('/keys', order, { cookie })).json()) as { key: string }).key
    }
    const statusOf = async (key: string) =>
      (await fetch(`${kinora.api}/videos/tasks`, { headers: { authorization: `Bearer ${key}` } })).status
    const own = await keyOf(user.cookie)
    await addWebhook('own', user.cookie)
    const intruder = cookiesOf(await signIn(user.email))
    const intruders = await keyOf(intruder)
    await addWebhook("intruder's", intruder)
    const { token } = (await newDeviceMail(user))!
    expect((await kinora.post('/auth/secure', { token })).status).toBe(200)
    expect([await statusOf(own), await statusOf(intruders)]).toEqual([200, 401])
    const sql = 'select name, disabled_because from webhook_endpoint where user_id = $1 order by id'
    expect((await query(sql, [user.userId])).rows).toEqual([
      { name: 'own', disabled_because: null },
      { name: "intruder's", disabled_because: 'owner' },
    ])
  })

  it('cannot be disowned with the token of a reset link, or after seven days', async () => {
    const user = await kinora.newUser()
    await signIn(user.email)
    const { token } = (await newDeviceMail(user))!
    await kinora.post('/auth/forgot-password', { email: user.email })
    const reset = /reset-password\?token=([\w-]+)/.exec((await kinora.mails(user.email))[0]!.text)![1]
    expect((await kinora.post('/auth/secure', { token: reset })).status).toBe(422)
    await query(
      `update mail_token set expires_at = expires_at - interval '7 days' where user_id = $1 and purpose = 'secure'`,
      [user.userId],
    )
    expect((await kinora.post('/auth/secure', { token })).status).toBe(422)
  })
})

describe('the operator', () => {
  it('sees failures and throttles of all accounts and of unknown addresses', async () => {
    const user = await kinora.newUser()
    for (let n = 0; n < 2; n++) await signIn(user.email, 'not my horse')
    await signIn('nobody@kinora.test')
    const cookie = cookiesOf(await kinora.post('/analytics/login', OPERATOR))
    const read = async (page: number) => {
      const address = `${kinora.api}/analytics/security?per_page=2&page=${page}`
      return (await (await fetch(address, { headers: { cookie } })).json()) as { failures: object[]; total: number }
    }
    const { failures, total } = await read(1)
    expect(failures).toMatchObject([
      { event: 'sign_in_failed', email: null, network: '127.0.0.0/24' },
      { event: 'sign_in_failed', email: user.email, browser: 'Chrome' },
    ])
    expect(total).toBeGreaterThan(2)
    expect((await read(2)).failures).not.toEqual(failures)
  })
})
