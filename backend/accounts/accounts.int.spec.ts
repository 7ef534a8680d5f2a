import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import errors from '#content/en/errors.json' with { type: 'json' }
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

let kinora: TestKinora
let moved = 0
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble(), now: () => Date.now() + moved })
})
afterAll(() => kinora.close())

let count = 0
const newEmail = () => `person${++count}@kinora.test`
const password = 'correct horse'
const register = (email: string, more: object = {}) =>
  kinora.post('/auth/register', { email, password, username: 'Test Person', ...more })
const login = (email: string, secret = password) => kinora.post('/auth/login', { email, password: secret })
const outcome = async (response: Response) => [response.status, ((await response.json()) as { code?: string }).code]
const tokensOf = async (email: string) =>
  (await kinora.mails(email)).map(({ text }) => /token=([\w-]+)/.exec(text)?.[1] ?? '')
const verify = (token: string | undefined) => kinora.post('/auth/verify-email', { token })
const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
const as = (cookie: string, method: string, path: string) => fetch(kinora.api + path, { method, headers: { cookie } })

async function verified(): Promise<string> {
  const email = newEmail()
  await register(email)
  await verify((await tokensOf(email))[0])
  return email
}

describe('registering', () => {
  it('answers 201 and mails one link to the address', async () => {
    const email = newEmail()
    const answer = await register(email.toUpperCase(), { language: 'zh' })
    expect([answer.status, await answer.json()]).toEqual([
      201,
      { message: 'Registered. Please check your email for the verification link.' },
    ])
    const mails = await kinora.mails(email)
    expect(mails).toHaveLength(1)
    expect(mails[0]!.text).toContain(`${kinora.url}/zh/verify-email?token=`)
    expect(mails[0]!.text).toContain(`email=${encodeURIComponent(email)}`)
  })

  it('rejects a verified address in any case', async () => {
    const email = await verified()
    expect(await outcome(await register(email))).toEqual([409, 'email_already_registered'])
    expect(await outcome(await register(` ${email.toUpperCase()} `))).toEqual([409, 'email_already_registered'])
    expect(await kinora.mails(email)).toHaveLength(1)
  })

  it('registers one account for four concurrent registrations of an address', async () => {
    const email = newEmail()
    // The limit is five at one instant, and concurrent requests differ by milliseconds.
    const statuses = (await Promise.all(Array.from({ length: 4 }, () => register(email)))).map(({ status }) => status)
    expect(new Set([201, 409, ...statuses])).toEqual(new Set([201, 409]))
    const outcomes = await Promise.all((await tokensOf(email)).map(async (token) => (await verify(token)).status))
    expect(outcomes.filter((status) => status === 200)).toHaveLength(1)
  })

  it.each([
    [{ email: undefined }, 'email', 'required'],
    [{ email: 'nobody' }, 'email', 'invalid_email'],
    [{ email: 'a@-kinora.test' }, 'email', 'invalid_email'],
    [{ email: `a@${'k'.repeat(64)}.test` }, 'email', 'invalid_email'],
    [{ email: 'a@a_b.test' }, 'email', 'invalid_email'],
    [{ email: 'a@127.0.0.1' }, 'email', 'invalid_email'],
    [{ password: 'short' }, 'password', 'password_too_short'],
    [{ password: 'aaaaaaaa' }, 'password', 'password_guessable'],
    [{ username: ' x ' }, 'username', 'name_too_short'],
    [{ username: '\u200b\u202e ' }, 'username', 'required'],
    [{ language: 'de' }, 'language', 'invalid'],
  ])('reports the invalid field (%#)', async (change, path, code) => {
    const answer = await register(newEmail(), change)
    expect([answer.status, ((await answer.json()) as { errors: object }).errors]).toEqual([
      422,
      [{ path, code, message: (errors as Record<string, string>)[code] ?? code.replaceAll('_', ' ') }],
    ])
  })
})

describe('verifying an address', () => {
  it('mails no text of the visitor, who may not own the address', async () => {
    const email = newEmail()
    await register(email, { username: 'Win a prize at evil.test' })
    const [mail] = await kinora.mails(email)
    expect(JSON.stringify(mail)).not.toContain('evil.test')
  })

  it('grants the free credits once and accepts its link once', async () => {
    const email = newEmail()
    await register(email)
    const [token] = await tokensOf(email)
    const both = await Promise.all([verify(token), verify(token)])
    expect(both.map(({ status }) => status)).toContain(200)
    expect(await outcome(await verify(token))).toEqual([422, 'already_verified'])
    const cookie = cookiesOf(await login(email))
    expect(await (await as(cookie, 'GET', '/subscriptions/stats')).json()).toEqual({
      current_tier: 'free',
      current_status: 'active',
      remaining_credits: 60,
      total_credits: 60,
      used_credits: 0,
      next_reset_date: null,
    })
  })

  it('rejects a link after a day and accepts a new one', async () => {
    const email = newEmail()
    await register(email)
    const [token] = await tokensOf(email)
    moved += 24 * 3600 * 1000 + 1
    expect(await outcome(await verify(token))).toEqual([422, 'token_invalid'])
    const resend = await kinora.post('/auth/resend-verification', { email })
    expect(resend.status).toBe(200)
    expect((await verify((await tokensOf(email))[0])).status).toBe(200)
  })

  it('answers "already verified" to each link of a verified address, also once it has expired', async () => {
    const email = newEmail()
    await register(email)
    await register(email, { password: 'another good one' })
    const tokens = await tokensOf(email)
    expect((await verify(tokens[1])).status).toBe(200)
    for (const late of [0, 25 * 3600 * 1000]) {
      moved += late
      for (const token of tokens) expect(await outcome(await verify(token))).toEqual([422, 'already_verified'])
    }
    const { rows } = await kinora.context.pool.query(
      "select from mail_token where purpose = 'verified' and registration is not null",
    )
    expect(rows).toEqual([])
  })

  it('mails no link to a verified or unknown address, with the same response', async () => {
    const email = await verified()
    const answers = await Promise.all(
      [email, newEmail(), 'stranger@kinora.test'].map((to) => kinora.post('/auth/resend-verification', { email: to })),
    )
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(texts).size).toBe(1)
    expect(await kinora.mails(email)).toHaveLength(1)
    expect(await kinora.mails('stranger@kinora.test')).toEqual([])
  })

  it('rejects a missing or wrong token', async () => {
    expect(await (await verify(undefined)).json()).toMatchObject({ errors: [{ path: 'token', code: 'token_missing' }] })
    expect(await outcome(await verify('x'))).toEqual([422, 'token_invalid'])
  })
})

describe('signing in', () => {
  it('gives the same response to a wrong password and an unknown address', async () => {
    const email = await verified()
    expect(await outcome(await login(email, 'wrong password'))).toEqual([401, 'invalid_credentials'])
    expect(await outcome(await login('stranger@kinora.test'))).toEqual([401, 'invalid_credentials'])
  })

  it('reports an unverified address only with the right password', async () => {
    const email = newEmail()
    await register(email)
    expect(await outcome(await login(email, 'wrong password'))).toEqual([401, 'invalid_credentials'])
    const right = await login(email)
    expect(right.headers.getSetCookie()).toEqual([])
    expect(await outcome(right)).toEqual([403, 'email_not_verified'])
  })

  it('returns the user and sets httpOnly cookies', async () => {
    const email = await verified()
    const answer = await login(email.toUpperCase())
    const { user } = (await answer.json()) as { user: object }
    expect(user).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email,
      username: 'Test Person',
      full_name: 'Test Person',
      language: 'en',
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    })
    const flags = answer.headers
      .getSetCookie()
      .map((line) => line.replace(/=[^;]+/, '=…').replace(/expires=[^;]+/, 'expires=…'))
    expect(flags).toEqual([
      'kinora_access=…; path=/; expires=…; samesite=lax; httponly',
      'kinora_refresh=…; path=/; expires=…; samesite=lax; httponly',
      'kinora_signed_in=…; path=/; expires=…; samesite=lax',
      'kinora_device=…; path=/; expires=…; samesite=lax; httponly',
    ])
    expect(await (await as(cookiesOf(answer), 'GET', '/auth/me')).json()).toEqual(user)
  })

  it('rejects requests without a cookie or with a forged one', async () => {
    const cookie = cookiesOf(await login(await verified()))
    for (const forged of ['', cookie.replace('.', 'x.'), cookie.slice(0, 100), 'kinora_access=%00'])
      expect(await outcome(await as(forged, 'GET', '/auth/me'))).toEqual([401, 'unauthenticated'])
  })
})

describe('staying signed in', () => {
  it('rotates the cookies, and 20 concurrent refreshes all stay signed in', async () => {
    const cookie = cookiesOf(await login(await verified()))
    const answers = await Promise.all(Array.from({ length: 20 }, () => as(cookie, 'POST', '/auth/refresh')))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const next = new Set(answers.map(cookiesOf).map((text) => /kinora_refresh=([^;]+)/.exec(text)?.[1]))
    expect(next.size).toBe(1)
    const me = await Promise.all(answers.map((answer) => as(cookiesOf(answer), 'GET', '/auth/me')))
    expect(me.map(({ status }) => status)).toEqual(Array(20).fill(200))
  })

  it('invalidates access and refresh tokens on sign-out', async () => {
    const cookie = cookiesOf(await login(await verified()))
    const out = await as(cookie, 'POST', '/auth/logout')
    expect(out.headers.getSetCookie().map((line) => line.split(' ')[0])).toEqual([
      'kinora_access=;',
      'kinora_refresh=;',
      'kinora_signed_in=;',
    ])
    expect((await as(cookie, 'GET', '/auth/me')).status).toBe(401)
    const refresh = await as(cookie, 'POST', '/auth/refresh')
    expect(refresh.headers.getSetCookie()).toHaveLength(3)
    expect(await outcome(refresh)).toEqual([401, 'unauthenticated'])
  })

  it('ends the session that a new sign-in in the same browser replaces, and no other', async () => {
    const email = await verified()
    const [old, elsewhere] = [cookiesOf(await login(email)), cookiesOf(await login(email))]
    const next = cookiesOf(await kinora.post('/auth/login', { email, password }, { cookie: old }))
    const statuses = [old, elsewhere, next].map(async (cookie) => (await as(cookie, 'GET', '/auth/me')).status)
    expect(await Promise.all(statuses)).toEqual([401, 200, 200])
  })

  it('signs out without a session', async () => {
    expect((await as('', 'POST', '/auth/logout')).status).toBe(200)
  })
})
