import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

const login = (email: string, password: string, cookie = '') =>
  kinora.post('/auth/login', { email, password }, cookie ? { cookie } : {})
const outcome = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code]
const statusesOf = async (count: number, call: () => Promise<Response>) => {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push((await call()).status)
  return statuses
}
const faultsOf = async (answer: Response) => [
  answer.status,
  ((await answer.json()) as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => [path, code]),
]

describe('guessing passwords', () => {
  it('limits wrong passwords to ten, for known and unknown addresses', async () => {
    const { email } = await kinora.newUser()
    const wrong = [...Array(10).fill(401), 429, 429]
    expect(await statusesOf(12, () => login(email, 'wrong password'))).toEqual(wrong)
    expect(await statusesOf(12, () => login('nobody.here@kinora.test', 'wrong password'))).toEqual(wrong)
    const answer = await login(email, 'correct horse')
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(Number(answer.headers.get('Retry-After'))).toBeLessThanOrEqual(30)
    expect(await outcome(answer)).toEqual([429, 'too_many_requests'])
  })

  it('locks out neither a known device of the owner nor other users', async () => {
    const [owner, other] = [await kinora.newUser(), await kinora.newUser()]
    const guesses = await Promise.all(Array.from({ length: 30 }, () => login(owner.email, 'wrong password')))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    const device = /kinora_device=[^;]+/.exec(owner.cookie)![0]
    expect((await login(owner.email, 'correct horse', device)).status).toBe(200)
    expect((await login(owner.email, 'correct horse', `${device}x`)).status).toBe(429)
    expect((await login(owner.email, 'correct horse', /kinora_device=[^;]+/.exec(other.cookie)![0])).status).toBe(429)
    expect((await login(other.email, 'correct horse')).status).toBe(200)
  })

  it('forgets known devices when the password changes', async () => {
    const owner = await kinora.newUser()
    const device = /kinora_device=[^;]+/.exec(owner.cookie)![0]
    const passwords = { current_password: 'correct horse', new_password: 'a better horse' }
    expect((await owner.call('PUT', '/users/password', passwords)).status).toBe(200)
    await Promise.all(Array.from({ length: 30 }, () => login(owner.email, 'wrong password')))
    expect((await login(owner.email, 'a better horse', device)).status).toBe(429)
  })

  it('does not count successful sign-ins', async () => {
    const { email } = await kinora.newUser()
    expect(new Set(await statusesOf(15, () => login(email, 'correct horse')))).toEqual(new Set([200]))
  })
})

describe('requesting mails', () => {
  it.each(['/auth/forgot-password', '/auth/resend-verification'])(
    'limits %s to five, for known and unknown addresses',
    async (path) => {
      const { email } = await kinora.newUser()
      for (const to of [email, `nobody${path.length}@kinora.test`])
        expect(await statusesOf(6, () => kinora.post(path, { email: to }))).toEqual([...Array(5).fill(200), 429])
    },
  )
})

describe('a registration', () => {
  const register = (change: object) =>
    kinora.post('/auth/register', { email: 'new@kinora.test', password: 'correct horse', username: 'Ada L', ...change })

  it.each([
    [{ password: 'password1' }, 'password', 'password_common'],
    [{ password: 'Kinora-2026' }, 'password', 'password_personal'],
    [{ password: '👍👍👍👍' }, 'password', 'password_too_short'],
    [{ password: 'x'.repeat(257) }, 'password', 'password_too_long'],
    [{ email: 'ada@mailinator.com' }, 'email', 'email_disposable'],
    [{ email: '"ada"<ada@kinora.test>' }, 'email', 'invalid_email'],
  ])('rejects weak passwords and invalid addresses (%#)', async (change, path, code) => {
    expect(await faultsOf(await register(change))).toEqual([422, [[path, code]]])
  })

  it('accepts a password of 256 characters in any script and Unicode form', async () => {
    const email = 'long@kinora.test'
    const password = `${'ｇ猫é'.repeat(85)}x`
    expect((await register({ email, password })).status).toBe(201)
    expect(await outcome(await login(email, password.normalize('NFKD')))).toEqual([403, 'email_not_verified'])
  })

  it('sends at most five mails in a row to an address', async () => {
    const statuses = await statusesOf(6, () => register({ email: 'flooded@kinora.test' }))
    expect(statuses).toEqual([...Array(5).fill(201), 429])
    expect((await kinora.mails('flooded@kinora.test')).length).toBeLessThanOrEqual(5)
  })

  it('allows one account per mailbox, however its address is written', async () => {
    await kinora.newUser('m.ail.box+first@gmail.com')
    expect(await outcome(await register({ email: 'MailBox+second@googlemail.com' }))).toEqual([
      409,
      'email_already_registered',
    ])
    expect((await login('mailbox@gmail.com', 'correct horse')).status).toBe(200)
  })
})

describe('a password reset', () => {
  it('rejects weak passwords, and makes the device known', async () => {
    const user = await kinora.newUser()
    await kinora.post('/auth/forgot-password', { email: user.email })
    const token = /reset-password\?token=([\w-]+)/.exec((await kinora.mails(user.email))[0]!.text)![1]
    const reset = (new_password: string) => kinora.post('/auth/reset-password', { token, new_password })
    expect(await faultsOf(await reset('qwerty123'))).toEqual([422, [['new_password', 'password_common']]])
    expect(await faultsOf(await reset('kinora user'))).toEqual([422, [['new_password', 'password_personal']]])
    for (let n = 0; n < 10; n++) await login(user.email, 'wrong password')
    const done = await reset('a better horse')
    expect(done.status).toBe(200)
    // The device that reset the password is known, so guesses from elsewhere do not lock it out.
    expect((await login(user.email, 'a better horse')).status).toBe(429)
    const device = done.headers.getSetCookie()[0]!.split(';')[0]
    expect((await login(user.email, 'a better horse', device)).status).toBe(200)
  })
})
