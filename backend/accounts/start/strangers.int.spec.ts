import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

let count = 0
const newEmail = () => `stranger${++count}@kinora.test`
const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code]
const mailTo = async (email: string) => (await kinora.mails(email))[0]!
const newestToken = async (email: string) => /token=([\w-]+)/.exec((await mailTo(email)).text)![1]!
const begin = async (email: string) => expect((await kinora.post('/auth/start', { email })).status).toBe(202)
const preview = (token: string) => kinora.post('/auth/start/preview', { token })
const confirm = (token: string) => kinora.post('/auth/start/confirm', { token })

describe('a registration by a stranger', () => {
  it('does not become active through a link, nor does its mailed link work afterwards', async () => {
    const email = newEmail()
    const registration = { email, password: 'a stranger knows', username: 'Stranger' }
    await kinora.post('/auth/register', registration)
    const strangers = await newestToken(email)
    await begin(email)
    const answer = await confirm(await newestToken(email))
    expect(await answer.json()).toMatchObject({ user: { username: email.split('@')[0] } })
    const login = await kinora.post('/auth/login', { email, password: 'a stranger knows' })
    expect(await codeOf(login)).toEqual([401, 'invalid_credentials'])
    expect(await codeOf(await kinora.post('/auth/verify-email', { token: strangers }))).toEqual([
      422,
      'already_verified',
    ])
    expect(await codeOf(await kinora.post('/auth/register', registration))).toEqual([409, 'email_already_registered'])
  })

  it('is what a person completes who asked for a link before', async () => {
    const email = newEmail()
    await begin(email)
    await newestToken(email)
    await kinora.post('/auth/register', { email, password: 'my own words', username: 'Ada' })
    const token = await newestToken(email)
    expect((await kinora.post('/auth/verify-email', { token })).status).toBe(200)
    expect((await kinora.post('/auth/login', { email, password: 'my own words' })).status).toBe(200)
    const { rows } = await kinora.context.pool.query('select has_password from user_account where email = $1', [email])
    expect(rows[0].has_password).toBe(true)
  })
})

describe('a link to another spelling of an address', () => {
  const tagged = (email: string) => email.replace('@', '+kinora@')
  const registerAs = (email: string, password: string) =>
    kinora.post('/auth/register', { email, password, username: 'Ada' })

  it('is invalid once the address is verified', async () => {
    const email = newEmail()
    await begin(tagged(email))
    const strangers = await newestToken(tagged(email))
    await registerAs(email, 'my own words')
    const token = await newestToken(email)
    expect((await kinora.post('/auth/verify-email', { token })).status).toBe(200)
    for (const answer of [await preview(strangers), await confirm(strangers)])
      expect(await codeOf(answer)).toEqual([422, 'token_invalid'])
  })

  it('is invalid once a link to the address signs in, and so is one that chooses a password', async () => {
    const email = newEmail()
    await begin(tagged(email))
    const strangers = await newestToken(tagged(email))
    for (const password of ['a stranger knows', 'a stranger knew']) await registerAs(tagged(email), password)
    await kinora.post('/auth/resend-verification', { email: tagged(email) })
    await expect.poll(async () => (await mailTo(tagged(email))).subject).toBe('Choose a password for Kinora')
    const token = await newestToken(tagged(email))
    await begin(email)
    expect((await confirm(await newestToken(email))).status).toBe(200)
    expect(await codeOf(await confirm(strangers))).toEqual([422, 'token_invalid'])
    const reset = await kinora.post('/auth/reset-password', { token, new_password: 'a stranger chose' })
    expect(await codeOf(reset)).toEqual([422, 'token_invalid'])
  })
})
