import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { TestUser } from '../../testing/testUser.ts'

const PASSWORD = 'correct horse'
const STEP_MS = 30_000

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

const json = async <T>(answer: Response | Promise<Response>) => (await (await answer).json()) as T
const outcome = async (answer: Response | Promise<Response>) => {
  const { status } = await answer
  const body = status === 204 ? {} : await json<{ code?: string; errors?: { code: string }[] }>(answer)
  return [status, body.errors?.[0]?.code ?? body.code]
}
const query = (sql: string, values: unknown[]) => kinora.context.pool.query(sql, values)
/** Returns the code of a secret. Each test uses later codes than those that it has used before. */
const codeOf = (secret: string, stepsAhead = 0) =>
  TOTP.generate({ secret: new TOTP({ secret }).secret, timestamp: Date.now() + stepsAhead * STEP_MS })

interface Enrolled {
  readonly user: TestUser
  readonly secret: string
  readonly codes: readonly string[]
}

/** Registers a user with an authenticator app. Its code of the previous step is used up. */
async function enrolled(): Promise<Enrolled> {
  const user = await kinora.newUser()
  const { secret } = await json<{ secret: string }>(user.call('POST', '/users/totp', { password: PASSWORD }))
  const confirm = () => user.call('POST', '/users/totp/confirm', { code: codeOf(secret, -1) })
  // The code may have become too old on the way.
  const first = await confirm()
  const confirmed = first.ok ? first : confirm()
  const { recovery_codes: codes } = await json<{ recovery_codes: string[] }>(confirmed)
  return { user, secret, codes }
}

const signIn = ({ email }: TestUser) => kinora.post('/auth/login', { email, password: PASSWORD })
const ticketOf = async (user: TestUser) => (await json<{ ticket: string }>(signIn(user))).ticket
const finish = (ticket: string, code: string) => kinora.post('/auth/second-factor', { ticket, code })

describe('an authenticator app', () => {
  it('is set up with the password and a first code, and gives ten recovery codes', async () => {
    const user = await kinora.newUser()
    expect(await outcome(user.call('POST', '/users/totp', { password: 'not my horse' }))).toEqual([
      422,
      'wrong_password',
    ])
    const setup = await json<{ secret: string; uri: string; qr: { size: number; path: string } }>(
      user.call('POST', '/users/totp', { password: PASSWORD }),
    )
    expect(setup.uri).toContain(`secret=${setup.secret}`)
    expect(setup.qr.path).toMatch(/^(M\d+ \d+h1v1h-1z)+$/)
    // It does not count before it is confirmed.
    expect((await signIn(user)).status).toBe(200)
    const confirm = (code: string) => user.call('POST', '/users/totp/confirm', { code })
    expect(await outcome(confirm('000000'))).toEqual([422, 'wrong_code'])
    const { recovery_codes } = await json<{ recovery_codes: string[] }>(confirm(codeOf(setup.secret)))
    expect([recovery_codes.length, new Set(recovery_codes).size]).toEqual([10, 10])
    expect(await json(user.call('GET', '/users/factors'))).toMatchObject({ totp: true, recovery_codes: 10 })
    expect(await outcome(user.call('POST', '/users/totp', { password: PASSWORD }))).toEqual([409, 'factor_exists'])
    const { rows } = await query('select sealed from authenticator where owner = $1', [user.userId])
    expect(rows[0].sealed).not.toContain(setup.secret)
  })

  it('is required after the password, and opens the session', async () => {
    const { user, secret } = await enrolled()
    const answer = await signIn(user)
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []])
    const problem = await json<{ code: string; ticket: string; methods: string[] }>(answer)
    expect(problem).toMatchObject({ code: 'second_factor_required', methods: ['totp', 'recovery_code'] })
    const done = await finish(problem.ticket, codeOf(secret))
    expect([done.status, await json(done)]).toMatchObject([200, { user: { email: user.email } }])
    expect(done.headers.getSetCookie().join()).toContain('kinora_access')
  })

  it('accepts each code once, also when it arrives twice at the same time', async () => {
    const { user, secret } = await enrolled()
    const ticket = await ticketOf(user)
    const code = codeOf(secret)
    const statuses = (await Promise.all([1, 2, 3].map(() => finish(ticket, code)))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 422, 422])
    expect(await outcome(finish(ticket, codeOf(secret, -1)))).toEqual([422, 'wrong_code'])
  })

  it('limits guesses, and records them', async () => {
    const { user, secret } = await enrolled()
    const ticket = await ticketOf(user)
    const guesses = []
    for (let guess = 0; guess < 6; guess++) guesses.push((await finish(ticket, `${100_000 + guess}`)).status)
    expect(guesses).toEqual([422, 422, 422, 422, 422, 429])
    expect((await finish(ticket, codeOf(secret))).status).toBe(429)
    const sql = `select event from security_record where user_id = $1 and event like 'second_factor_f%'`
    expect((await query(sql, [user.userId])).rowCount).toBe(5)
  })

  it('is not locked for a device that has signed in before, while others guess', async () => {
    const { user, secret } = await enrolled()
    const ticket = await ticketOf(user)
    for (let guess = 0; guess < 6; guess++) await finish(ticket, `${100_000 + guess}`)
    expect((await finish(ticket, codeOf(secret))).status).toBe(429)
    // The browser that registered has signed in before.
    const own = await kinora.post('/auth/second-factor', { ticket, code: codeOf(secret) }, { cookie: user.cookie })
    expect(own.status).toBe(200)
  })

  it('rejects tickets that are forged, of another user, or older than the password', async () => {
    const [{ user, secret }, other] = [await enrolled(), await enrolled()]
    const ticket = await ticketOf(user)
    const [, expiry, mac] = ticket.split('.')
    const later = `${user.userId}.${Number(expiry) + 1}.${mac}`
    for (const forged of ['x', `${other.user.userId}.${expiry}.${mac}`, later, `${ticket}x`, `${'-'.repeat(36)}.1.x`])
      expect(await outcome(finish(forged, codeOf(secret)))).toEqual([401, 'ticket_invalid'])
    const change = { current_password: PASSWORD, new_password: 'a better horse' }
    expect((await user.call('PUT', '/users/password', change)).status).toBe(200)
    expect(await outcome(finish(ticket, codeOf(secret)))).toEqual([401, 'ticket_invalid'])
  })
})

describe('a recovery code', () => {
  it('signs in once, however it is typed', async () => {
    const { user, codes } = await enrolled()
    const ticket = await ticketOf(user)
    expect((await finish(ticket, ` ${codes[0]!.toUpperCase().replaceAll('-', ' ')} `)).status).toBe(200)
    expect(await outcome(finish(ticket, codes[0]!))).toEqual([422, 'wrong_code'])
    expect((await finish(ticket, codes[1]!)).status).toBe(200)
    expect(await json(user.call('GET', '/users/factors'))).toMatchObject({ recovery_codes: 8 })
  })

  it('of another user is wrong', async () => {
    const [{ user }, other] = [await enrolled(), await enrolled()]
    expect(await outcome(finish(await ticketOf(user), other.codes[0]!))).toEqual([422, 'wrong_code'])
  })

  it('is replaced after a step-up', async () => {
    const { user, codes } = await enrolled()
    const answer = user.call('POST', '/users/recovery-codes')
    const { recovery_codes } = await json<{ recovery_codes: string[] }>(answer)
    expect(recovery_codes).toHaveLength(10)
    const ticket = await ticketOf(user)
    expect((await finish(ticket, codes[0]!)).status).toBe(422)
    expect((await finish(ticket, recovery_codes[0]!)).status).toBe(200)
  })
})

describe('a step-up', () => {
  const forget = (user: TestUser) =>
    query(`update session set stepped_up_at = now() - interval '11 minutes' where user_id = $1`, [user.userId])

  it('is required to delete the account, replace recovery codes and turn the app off, for ten minutes', async () => {
    const { user, secret, codes } = await enrolled()
    await forget(user)
    const refused = [403, 'step_up_required']
    expect(await outcome(user.call('POST', '/users/delete', { password: PASSWORD }))).toEqual(refused)
    expect(await outcome(user.call('POST', '/users/recovery-codes'))).toEqual(refused)
    expect(await outcome(user.call('DELETE', '/users/totp'))).toEqual(refused)
    expect(await outcome(user.call('POST', '/users/step-up', { code: '000000' }))).toEqual([422, 'wrong_code'])
    expect((await user.call('POST', '/users/step-up', { code: codeOf(secret) })).status).toBe(200)
    expect((await user.call('DELETE', '/users/totp')).status).toBe(204)
    expect((await signIn(user)).status).toBe(200)
    expect(await json(user.call('GET', '/users/factors'))).toMatchObject({ totp: false, recovery_codes: 0 })
    expect((await user.call('POST', '/users/step-up', { code: codes[0] })).status).toBe(422)
  })

  it('is required to add another factor, also to finish one that was begun before', async () => {
    const user = await kinora.newUser()
    const begin = () => user.call('POST', '/users/totp', { password: PASSWORD })
    const { secret } = await json<{ secret: string }>(begin())
    await query(
      `insert into passkey (id, owner, name, public_key, counter, transports, created_at)
       values ($1, $2, 'Phone', '', 0, '{}', now())`,
      [`key${Date.now()}`, user.userId],
    )
    const refused = [403, 'step_up_required']
    expect(await outcome(begin())).toEqual(refused)
    expect(await outcome(user.call('POST', '/users/totp/confirm', { code: codeOf(secret) }))).toEqual(refused)
    expect(await outcome(user.call('POST', '/users/passkeys/options', { password: PASSWORD }))).toEqual(refused)
    const passkey = { name: 'Another', credential: {} }
    expect(await outcome(user.call('POST', '/users/passkeys', passkey))).toEqual(refused)
  })

  it('of one session does not count for another', async () => {
    const { user, codes } = await enrolled()
    const done = await finish(await ticketOf(user), codes[0]!)
    await forget(user)
    const cookie = done.headers.getSetCookie().map((line) => line.split(';')[0])
    expect((await user.call('POST', '/users/step-up', { code: codes[1] })).status).toBe(200)
    const elsewhere = { cookie: cookie.join('; ') }
    expect(await outcome(user.call('DELETE', '/users/totp', undefined, elsewhere))).toEqual([403, 'step_up_required'])
  })

  it('is not required without a second factor, and the account deletion removes every factor', async () => {
    const plain = await kinora.newUser()
    expect((await plain.call('POST', '/users/delete', { password: PASSWORD })).status).toBe(200)
    const { user } = await enrolled()
    expect((await user.call('POST', '/users/delete', { password: PASSWORD })).status).toBe(200)
    for (const table of ['authenticator', 'recovery_code'])
      expect((await query(`select from ${table} where owner = $1`, [user.userId])).rowCount).toBe(0)
  })
})

describe('disowning a device', () => {
  const CHROME = { 'user-agent': 'Chrome/131' }
  const FIREFOX = { 'user-agent': 'Firefox/140.0' }
  const signInAs = async (user: TestUser, headers: Record<string, string>, code?: string) => {
    const { email } = user
    const answer = code
      ? await kinora.post('/auth/second-factor', { ticket: await ticketOf(user), code }, headers)
      : await kinora.post('/auth/login', { email, password: PASSWORD }, headers)
    const cookie = answer.headers.getSetCookie().map((line) => line.split(';')[0])
    return { cookie: cookie.join('; ') }
  }
  /** Opens the link of the newest mail, which is about a new device. */
  const disown = async ({ email }: TestUser) => {
    const [mail] = await kinora.mails(email)
    expect(mail!.subject).toContain('New sign-in')
    const [, token] = /token=([\w-]+)&secure=1/.exec(mail!.text)!
    expect((await kinora.post('/auth/secure', { token })).status).toBe(200)
  }
  /** Dates the second factors and the mailed links of a user back. */
  const age = async ({ userId }: TestUser, by: string) => {
    for (const table of ['authenticator', 'recovery_code'])
      await query(`update ${table} set created_at = created_at - $2::interval where owner = $1`, [userId, by])
    await query('update mail_token set expires_at = expires_at - $2::interval where user_id = $1', [userId, by])
  }
  const leftOf = async ({ userId }: TestUser) => {
    const count = async (table: string) => (await query(`select from ${table} where owner = $1`, [userId])).rowCount
    return { apps: await count('authenticator'), codes: await count('recovery_code') }
  }

  it('removes what was added since the oldest mail whose link is valid, with the link of the newest one', async () => {
    const user = await kinora.newUser()
    const headers = await signInAs(user, CHROME)
    const { secret } = await json<{ secret: string }>(kinora.post('/users/totp', { password: PASSWORD }, headers))
    const confirmed = kinora.post('/users/totp/confirm', { code: codeOf(secret) }, headers)
    const { recovery_codes: codes } = await json<{ recovery_codes: string[] }>(confirmed)
    await age(user, '30 minutes')
    await signInAs(user, FIREFOX, codes[0])
    await disown(user)
    expect(await leftOf(user)).toEqual({ apps: 0, codes: 0 })
  })

  it('keeps an authenticator app and recovery codes that are older than every valid link', async () => {
    const { user, codes } = await enrolled()
    await age(user, '8 days')
    await signInAs(user, CHROME, codes[0])
    await disown(user)
    expect(await leftOf(user)).toEqual({ apps: 1, codes: 9 })
  })

  it('removes recovery codes that were renewed since, although an older authenticator app stays', async () => {
    const { user, codes } = await enrolled()
    await age(user, '8 days')
    await kinora.post('/users/recovery-codes', undefined, await signInAs(user, CHROME, codes[0]))
    await disown(user)
    expect(await leftOf(user)).toEqual({ apps: 1, codes: 0 })
  })
})

describe('a change of second factors', () => {
  it.each([
    ['en', 'was added', 'was removed'],
    ['zh', '添加了登录方式', '移除了登录方式'],
  ])('is mailed without text of the user (%s)', async (language, added, removed) => {
    const user = await kinora.newUser()
    await user.call('PUT', '/users/language', { language })
    await user.call('PUT', '/users/name', { username: 'Mallory Visit evil.test' })
    const { secret } = await json<{ secret: string }>(user.call('POST', '/users/totp', { password: PASSWORD }))
    await user.call('POST', '/users/totp/confirm', { code: codeOf(secret) })
    await user.call('DELETE', '/users/totp')
    const [last, first] = await kinora.mails(user.email)
    expect([first!.subject, last!.subject]).toEqual([expect.stringContaining(added), expect.stringContaining(removed)])
    expect(first!.text + last!.text).not.toContain('evil.test')
  })

  it('is undone by the link of the mail about the addition', async () => {
    const { user } = await enrolled()
    const [mail] = await kinora.mails(user.email)
    const [, token] = /token=([\w-]+)&secure=1/.exec(mail!.text)!
    expect((await kinora.post('/auth/secure', { token })).status).toBe(200)
    expect((await query('select from authenticator where owner = $1', [user.userId])).rowCount).toBe(0)
    expect((await user.call('GET', '/auth/me')).status).toBe(401)
  })
})

describe('a password reset', () => {
  it('does not replace the second factor', async () => {
    const { user } = await enrolled()
    await kinora.post('/auth/forgot-password', { email: user.email })
    const findMail = async () => (await kinora.mails(user.email)).find(({ text }) => /token=[\w-]+$/m.test(text))
    await expect.poll(findMail).toBeDefined()
    const [, token] = /token=([\w-]+)$/m.exec((await findMail())!.text)!
    const reset = { token, new_password: 'a better horse' }
    const answer = await kinora.post('/auth/reset-password', reset)
    expect([answer.status, answer.headers.getSetCookie().join()]).toEqual([200, expect.not.stringContaining('access')])
    const login = kinora.post('/auth/login', { email: user.email, password: 'a better horse' })
    expect(await outcome(login)).toEqual([401, 'second_factor_required'])
  })
})
