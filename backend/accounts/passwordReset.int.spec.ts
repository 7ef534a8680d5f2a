import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

/** Waits for `count` mails to an address and returns the newest. */
async function mail(to: string, count: number): Promise<string> {
  return eventually(async () => {
    const mails = await kinora.mails(to)
    expect(mails).toHaveLength(count)
    return mails[0]!.text
  })
}

async function resetLink(user: TestUser, mails = 2): Promise<string> {
  await kinora.post('/auth/forgot-password', { email: user.email })
  return /token=([\w-]+)/.exec(await mail(user.email, mails))![1]!
}

const reset = (token: string, new_password = 'a better horse') =>
  kinora.post('/auth/reset-password', { token, new_password })
const login = async (email: string, password: string) => (await kinora.post('/auth/login', { email, password })).status

describe('a forgotten password', () => {
  it('is reset with a mailed link, which ends every session and mails a notice', async () => {
    const user = await kinora.newUser()
    expect((await reset(await resetLink(user))).status).toBe(200)
    expect((await user.call('GET', '/auth/me')).status).toBe(401)
    expect(await login(user.email, 'correct horse')).toBe(401)
    expect(await login(user.email, 'a better horse')).toBe(200)
    expect(await mail(user.email, 3)).toContain('was just changed')
  })

  it('is reset once per link', async () => {
    const user = await kinora.newUser()
    const token = await resetLink(user)
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await reset(token)).status))
    expect(statuses.toSorted()).toEqual([200, 422, 422, 422, 422])
  })

  it('is reset with a link although a stranger asks for others, which are invalid from then on', async () => {
    const user = await kinora.newUser()
    const first = await resetLink(user)
    const second = await resetLink(user, 3)
    expect((await reset(first)).status).toBe(200)
    expect((await reset(second)).status).toBe(422)
  })

  it('gives the same response for an unknown address and mails nothing', async () => {
    const answer = await kinora.post('/auth/forgot-password', { email: 'nobody@kinora.test' })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { message: 'If this address has an account, a link is on its way.' },
    ])
    expect(await kinora.mails('nobody@kinora.test')).toEqual([])
  })

  it('accepts no verification token, and verification accepts no reset token', async () => {
    const email = 'unverified@kinora.test'
    await kinora.post('/auth/register', { email, password: 'correct horse', username: 'Un Verified' })
    const token = /token=([\w-]+)/.exec(await mail(email, 1))![1]!
    expect((await reset(token)).status).toBe(422)
    const user = await kinora.newUser()
    expect((await kinora.post('/auth/verify-email', { token: await resetLink(user) })).status).toBe(422)
  })
})

describe('the language', () => {
  it('is stored with the account', async () => {
    const user = await kinora.newUser()
    const answer = await user.call('PUT', '/users/language', { language: 'zh' })
    expect([answer.status, await answer.json()]).toEqual([200, { language: 'zh' }])
    expect(await (await user.call('GET', '/auth/me')).json()).toMatchObject({ language: 'zh' })
    expect((await user.call('PUT', '/users/language', { language: 'fr' })).status).toBe(422)
  })

  it('decides which pages the links in mails lead to', async () => {
    const user = await kinora.newUser()
    await user.call('PUT', '/users/language', { language: 'zh' })
    const token = await resetLink(user)
    const [mailed] = await kinora.mails(user.email)
    expect(mailed!.text).toContain(`${kinora.url}/zh/reset-password?token=${token}`)
    await reset(token)
    const [notice] = await kinora.mails(user.email)
    expect(notice!.text).toContain(`${kinora.url}/zh/auth/forgot-password`)
  })
})
