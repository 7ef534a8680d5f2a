import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

let count = 0
const newEmail = () => `pending${++count}@kinora.test`
const register = (email: string, password: string, more: object = {}) =>
  kinora.post('/auth/register', { email, password, username: 'Test Person', ...more })
const verify = (token: string) => kinora.post('/auth/verify-email', { token })
const resend = (email: string) => kinora.post('/auth/resend-verification', { email })
const login = (email: string, password: string) => kinora.post('/auth/login', { email, password })
const outcome = async (response: Response) => {
  const { code, user } = (await response.json()) as { code?: string; user?: { full_name: string; email: string } }
  return [response.status, code ?? user]
}

/** Registers and returns the token of the mailed link. */
async function tokenOf(email: string, password: string, more?: object): Promise<string> {
  await register(email, password, more)
  return newestToken(email)
}
const newestToken = async (email: string) => /token=([\w-]+)/.exec((await kinora.mails(email))[0]!.text)![1]!

describe('an address with several pending registrations', () => {
  it('takes name, password and language from the registration whose link is used', async () => {
    const email = newEmail()
    const owners = await tokenOf(email, 'the owner knows', { username: 'Owner', language: 'zh' })
    await register(email, 'a stranger knows', { username: 'Stranger' })
    expect((await verify(owners)).status).toBe(200)
    expect(await outcome(await login(email, 'a stranger knows'))).toEqual([401, 'invalid_credentials'])
    const owner = expect.objectContaining({ full_name: 'Owner', language: 'zh' })
    expect(await outcome(await login(email, 'the owner knows'))).toEqual([200, owner])
  })

  it('accepts only the first link that is used', async () => {
    const email = newEmail()
    const links = [await tokenOf(email, 'first password'), await tokenOf(email, 'second password')]
    const statuses = await Promise.all(links.map(async (token) => (await verify(token)).status))
    expect(statuses.toSorted()).toEqual([200, 422])
    const passwords = ['first password', 'second password']
    const signIns = await Promise.all(passwords.map(async (password) => (await login(email, password)).status))
    expect(signIns).toEqual(statuses.map((status) => (status === 200 ? 200 : 401)))
  })

  it('keeps the address that the used link was mailed to', async () => {
    const email = newEmail()
    const tagged = email.replace('@', '+kinora@')
    await register(tagged, 'a stranger knows')
    await verify(await tokenOf(email, 'the owner knows'))
    expect(await outcome(await login(email, 'the owner knows'))).toEqual([200, expect.objectContaining({ email })])
  })

  it('reports an unverified address for the password of each registration, and for no other', async () => {
    const email = newEmail()
    for (const password of ['first password', 'second password']) await register(email, password)
    for (const password of ['first password', 'second password'])
      expect(await outcome(await login(email, password))).toEqual([403, 'email_not_verified'])
    expect(await outcome(await login(email, 'another password'))).toEqual([401, 'invalid_credentials'])
  })
})

describe('a verification link that is mailed again', () => {
  it('activates the only registration, and so does the first link', async () => {
    for (const pick of ['first', 'second'] as const) {
      const email = newEmail()
      const first = await tokenOf(email, 'the owner knows')
      await resend(email)
      const second = await newestToken(email)
      expect(second).not.toBe(first)
      expect((await verify({ first, second }[pick])).status).toBe(200)
      expect((await login(email, 'the owner knows')).status).toBe(200)
    }
  })

  it('lets its reader choose the password if registrations differ', async () => {
    const email = newEmail()
    const strangers = await tokenOf(email, 'a stranger knows', { username: 'Win a prize' })
    await register(email, 'the owner knew')
    await resend(email)
    const [mail] = await kinora.mails(email)
    expect(mail!.subject).toBe('Choose a password for Kinora')
    expect(JSON.stringify(mail)).not.toContain('Win a prize')
    const token = await newestToken(email)
    expect((await verify(token)).status).toBe(422)
    expect((await kinora.post('/auth/reset-password', { token, new_password: 'the owner chose' })).status).toBe(200)
    for (const password of ['a stranger knows', 'the owner knew'])
      expect((await login(email, password)).status).toBe(401)
    const owner = expect.objectContaining({ full_name: email.split('@')[0] })
    expect(await outcome(await login(email, 'the owner chose'))).toEqual([200, owner])
    expect((await verify(strangers)).status).toBe(422)
    expect(JSON.stringify(await kinora.mails(email))).not.toContain('Win a prize')
    const granted = 'select from free_grant g join user_account u on u.id = g.user_id where email = $1'
    expect((await kinora.context.pool.query(granted, [email])).rowCount).toBe(1)
  })
})

describe('a link that lets its reader choose a password', () => {
  it('is invalid once another spelling of the address is verified', async () => {
    const email = newEmail()
    const tagged = email.replace('@', '+kinora@')
    await register(tagged, 'a stranger knows')
    const owners = await tokenOf(email, 'the owner knows')
    await resend(tagged)
    await expect.poll(async () => (await kinora.mails(tagged))[0]!.subject).toBe('Choose a password for Kinora')
    const token = await newestToken(tagged)
    expect((await verify(owners)).status).toBe(200)
    const reset = await kinora.post('/auth/reset-password', { token, new_password: 'a stranger chose' })
    expect(await outcome(reset)).toEqual([422, 'token_invalid'])
  })
})

describe('a verification link without a registration of its own', () => {
  it('activates the registration of the account', async () => {
    const email = newEmail()
    const token = await tokenOf(email, 'the owner knows')
    await kinora.context.pool.query('update mail_token set registration = null')
    await register(email, 'a stranger knows')
    expect((await verify(token)).status).toBe(200)
    expect((await login(email, 'the owner knows')).status).toBe(200)
    expect((await login(email, 'a stranger knows')).status).toBe(401)
  })
})
