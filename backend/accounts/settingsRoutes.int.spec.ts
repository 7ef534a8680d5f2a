import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '#backend/testing/eventually.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { freePort } from '../testing/freePort.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { registerUser, type TestUser } from '../testing/testUser.ts'
import type { SessionView } from './contract.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

const CHROME = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36'
const outcome = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code]
const signedIn = async (cookie: string) =>
  (await fetch(`${kinora.api}/auth/me`, { headers: { cookie } })).status === 200
const sessionsOf = async (user: TestUser) =>
  ((await (await user.call('GET', '/users/sessions')).json()) as { sessions: SessionView[] }).sessions

/** Signs in from another browser and returns its cookies. */
async function signInElsewhere({ email }: TestUser, password = 'correct horse'): Promise<string> {
  const answer = await kinora.post('/auth/login', { email, password }, { 'user-agent': CHROME })
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

describe('the sessions of a user', () => {
  it('are listed with their devices and ended one by one', async () => {
    const user = await kinora.newUser()
    const other = await signInElsewhere(user)
    const sessions = await sessionsOf(user)
    expect(sessions).toEqual([
      {
        id: expect.any(String),
        browser: 'Chrome',
        system: 'Windows',
        created_at: expect.stringMatching(/Z$/),
        last_used_at: expect.stringMatching(/Z$/),
        current: false,
      },
      expect.objectContaining({ browser: null, current: true }),
    ])
    expect((await user.call('DELETE', `/users/sessions/${sessions[0]!.id}`)).status).toBe(204)
    expect([await signedIn(other), await signedIn(user.cookie)]).toEqual([false, true])
    expect(await outcome(await user.call('DELETE', `/users/sessions/${sessions[0]!.id}`))).toEqual([404, 'not_found'])
  })

  it('are all ended except the current one', async () => {
    const user = await kinora.newUser()
    const others = [await signInElsewhere(user), await signInElsewhere(user)]
    expect((await user.call('DELETE', '/users/sessions')).status).toBe(204)
    expect(await Promise.all([...others, user.cookie].map(signedIn))).toEqual([false, false, true])
    expect(await sessionsOf(user)).toHaveLength(1)
  })

  it('cannot be ended by another user', async () => {
    const [user, stranger] = [await kinora.newUser(), await kinora.newUser()]
    const [session] = await sessionsOf(user)
    for (const id of [session!.id, 'x', '%00'])
      expect((await stranger.call('DELETE', `/users/sessions/${id}`)).status).toBe(404)
    expect(await signedIn(user.cookie)).toBe(true)
  })

  it('close their sockets when they end', async () => {
    const user = await kinora.newUser()
    const socket = new WebSocket(await user.socketAddress())
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.once('open', () => socket.send('ping'))
    await new Promise((resolve) => socket.once('message', resolve))
    await user.call('POST', '/auth/logout')
    expect(await closed).toBe(1012)
  })
})

describe('the name', () => {
  it('is changed and validated', async () => {
    const user = await kinora.newUser()
    const answer = await user.call('PUT', '/users/name', { username: '  林 小满 ' })
    expect([answer.status, await answer.json()]).toMatchObject([200, { full_name: '林 小满', username: '林 小满' }])
    expect((await user.call('PUT', '/users/name', { username: 'x' })).status).toBe(422)
    expect(await (await user.call('GET', '/auth/me')).json()).toMatchObject({ full_name: '林 小满' })
  })
})

describe('the password', () => {
  const change = (user: TestUser, current_password: string, new_password = 'a better horse') =>
    user.call('PUT', '/users/password', { current_password, new_password })

  it('is changed with the current one: all sessions and reset links end, this device gets a new session', async () => {
    const user = await kinora.newUser()
    const other = await signInElsewhere(user)
    await kinora.post('/auth/forgot-password', { email: user.email })
    const token = /reset-password\?token=([\w-]+)/.exec((await kinora.mails(user.email))[0]!.text)![1]
    const answer = await change(user, 'correct horse')
    expect(answer.status).toBe(200)
    const renewed = answer.headers.getSetCookie().map((line) => line.split(';')[0])
    expect([await signedIn(user.cookie), await signedIn(other), await signedIn(renewed.join('; '))]).toEqual([
      false,
      false,
      true,
    ])
    expect(await outcome(await kinora.post('/auth/reset-password', { token, new_password: 'a third horse' }))).toEqual([
      422,
      'token_invalid',
    ])
    expect(await signedIn(await signInElsewhere(user, 'a better horse'))).toBe(true)
    expect((await kinora.mails(user.email))[0]!.text).toContain('was just changed')
  })

  it('is not changed with a wrong current or weak new one, and guesses are limited', async () => {
    const user = await kinora.newUser()
    expect(await (await change(user, 'wrong password')).json()).toMatchObject({
      errors: [{ path: 'current_password', code: 'wrong_password' }],
    })
    expect(await (await change(user, 'correct horse', 'password1')).json()).toMatchObject({
      errors: [{ path: 'new_password', code: 'password_common' }],
    })
    await eventually(async () => expect((await change(user, 'wrong password')).status).toBe(429))
  })
})

describe('over https', () => {
  it('cookies have the __Host- prefix', async () => {
    const PORT = String(await freePort())
    const env = { PUBLIC_URL: 'https://kinora.test', PORT }
    const secure = await startTestKinora({ provider: await createProviderDouble(), env })
    const api = `http://127.0.0.1:${PORT}/api/v1`
    const user = await registerUser(`http://127.0.0.1:${PORT}`)
    const names = user.cookie.split('; ').map((pair) => pair.split('=')[0])
    expect(names).toEqual(['__Host-kinora_access', '__Host-kinora_refresh', 'kinora_signed_in', '__Host-kinora_device'])
    const answer = await user.call('POST', '/auth/refresh')
    for (const line of answer.headers.getSetCookie()) expect(line).toMatch(/; path=\/; .*secure(; httponly)?$/)
    expect((await user.call('GET', '/auth/me')).status).toBe(200)
    const planted = user.cookie.replaceAll('__Host-', '')
    expect((await fetch(`${api}/auth/me`, { headers: { cookie: planted } })).status).toBe(401)
    await secure.close()
  })
})
