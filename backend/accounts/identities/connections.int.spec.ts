import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGithubDouble } from '../../providers/signIn/testing/githubDouble.ts'
import { LOGO, type RealIssuer, startRealIssuer } from '../../providers/signIn/testing/realIssuer.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { TestUser } from '../../testing/testUser.ts'
import type { Provider } from './identities.contract.ts'
import { Browser } from './testing/browser.ts'

const PASSWORD = 'correct horse'
let issuer: RealIssuer
let github: Awaited<ReturnType<typeof startGithubDouble>>
let kinora: TestKinora
beforeAll(async () => {
  ;[issuer, github] = [await startRealIssuer('client_secret_post'), await startGithubDouble()]
  kinora = await startTestKinora({ provider: await createProviderDouble(), env: { ...issuer.env, ...github.env } })
  issuer.accept(`${kinora.api}/auth/providers/oidc/callback`)
})
afterAll(async () => {
  await kinora?.close()
  await issuer?.close()
  github?.close()
})

let people = 0
const person = (said: object = {}) => {
  const sub = `owner-${++people}`
  issuer.signsIn({ sub, email: `${sub}@elsewhere.test`, email_verified: false, ...said })
  return sub
}
const isPage = (address: string) => address.startsWith(kinora.url) && !address.startsWith(kinora.api)
const arrive = async (browser: Browser, address: string) =>
  (await browser.follow(address, isPage)).slice(kinora.url.length)
const outcome = async (answer: Response) => {
  const { code, errors } = (await answer.json()) as { code?: string; errors?: { path: string; code: string }[] }
  return [answer.status, errors?.[0] ? `${errors[0].path}: ${errors[0].code}` : code]
}
const problemOf = (page: string) => new URLSearchParams(page.split('#')[1]).get('problem')

/** Begins a connection. Returns the address of the provider, and the browser, which has the user's session. */
async function begin(user: Pick<TestUser, 'cookie'>, provider = 'oidc', password: string | undefined = PASSWORD) {
  const browser = new Browser(user.cookie)
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password }) }
  const answer = await browser.request(`${kinora.api}/users/identities/${provider}`, init)
  return { browser, url: ((await answer.json()) as { url: string }).url }
}
const connect = async (user: Pick<TestUser, 'cookie'>, provider?: string) => {
  const { browser, url } = await begin(user, provider)
  return arrive(browser, url)
}
const connected = async (user: Pick<TestUser, 'call'>) => {
  const { identities } = (await (await user.call('GET', '/users/identities')).json()) as {
    identities: { id: string; connected_at: string | null }[]
  }
  return identities.filter(({ connected_at }) => connected_at !== null).map(({ id }) => id)
}
const subjects = async ({ email }: TestUser) => (await kinora.mails(email)).map(({ subject }) => subject)
/** Makes an account without a password by a sign-in. */
async function memberOf(provider: 'oidc' | 'github', email: string) {
  if (provider === 'oidc') person({ email, email_verified: true })
  else github.signsIn({ id: 9_000 + ++people, login: 'octocat', mails: [{ email, primary: true, verified: true }] })
  const browser = new Browser()
  await arrive(browser, `${kinora.api}/auth/providers/${provider}/start`)
  const call = (method: string, path: string, body?: object) =>
    browser.request(kinora.api + path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
  const id = ((await (await call('GET', '/auth/me')).json()) as { id: string }).id
  return { cookie: browser.cookie, call, id }
}

describe('a connection of an account', () => {
  it('needs the password, and is mailed and recorded, like its end', async () => {
    const user = await kinora.newUser()
    person()
    const post = (body: object) => user.call('POST', '/users/identities/oidc', body)
    expect(await outcome(await post({}))).toEqual([422, 'password: required'])
    expect(await outcome(await post({ password: 'not mine' }))).toEqual([422, 'password: wrong_password'])
    expect(await outcome(await user.call('POST', '/users/identities/other', { password: PASSWORD }))).toEqual([
      404,
      'not_found',
    ])
    expect(await connect(user)).toBe('/profile/security#sign-ins')
    expect(await connected(user)).toEqual(['oidc'])
    const browser = new Browser()
    expect(await arrive(browser, `${kinora.api}/auth/providers/oidc/start`)).toBe('/workspace')
    const me = await (await browser.request(`${kinora.api}/auth/me`)).json()
    expect(me).toMatchObject({ id: user.userId, email: user.email })
    expect((await user.call('DELETE', '/users/identities/oidc')).status).toBe(204)
    expect((await user.call('DELETE', '/users/identities/oidc')).status).toBe(404)
    expect(await connected(user)).toEqual([])
    const { records } = (await (await user.call('GET', '/users/security')).json()) as { records: { event: string }[] }
    const events = records.map(({ event }) => event).filter((event) => event.startsWith('identity'))
    expect(events).toEqual(['identity_disconnected', 'identity_connected'])
    expect(await subjects(user)).toEqual(
      expect.arrayContaining([
        'A sign-in was connected to your Kinora account',
        'A sign-in was disconnected from your Kinora account',
      ]),
    )
  })

  it('is mailed in the language of the account, with the name of the provider', async () => {
    const user = await kinora.newUser()
    await user.call('PUT', '/users/language', { language: 'zh' })
    person()
    expect(await connect(user)).toBe('/zh/profile/security#sign-ins')
    const [mail] = await kinora.mails(user.email)
    expect(mail).toMatchObject({
      subject: '你的 Kinora 账户关联了新的登录方式',
      text: expect.stringContaining('使用 Acme 登录'),
    })
  })

  it('is refused to a second account, and to a second identity of the provider', async () => {
    const [user, other] = [await kinora.newUser(), await kinora.newUser()]
    person()
    await connect(user)
    expect(problemOf(await connect(other))).toBe('identity_taken')
    expect(await connect(user)).toBe('/profile/security#sign-ins')
    person()
    expect(problemOf(await connect(user))).toBe('identity_conflict')
    expect([await connected(user), await connected(other)]).toEqual([['oidc'], []])
  })

  it('ends in the session that began it only, and never signs in', async () => {
    const [user, other] = [await kinora.newUser(), await kinora.newUser()]
    person()
    const { browser, url } = await begin(user)
    const callback = await browser.follow(url, (address) => address.includes('/oidc/callback'))
    const { kinora_flow: flow = '' } = Object.fromEntries(browser.cookie.split('; ').map((pair) => pair.split('=')))
    const stranger = new Browser(`${other.cookie}; kinora_flow=${flow}`)
    expect(problemOf(await arrive(stranger, callback))).toBe('flow_invalid')
    const signedOut = await begin(user)
    await signedOut.browser.request(`${kinora.api}/auth/logout`, { method: 'POST' })
    expect(problemOf(await arrive(signedOut.browser, signedOut.url))).toBe('flow_invalid')
    expect(await connected(other)).toEqual([])
  })

  it('asks for the second factor', async () => {
    const user = await kinora.newUser()
    person()
    await connect(user)
    await kinora.context.pool.query(
      `insert into passkey (id, owner, name, public_key, counter, transports, created_at)
       values ($1, $2, '', '', 0, '{}', now())`,
      [`of ${user.userId}`, user.userId],
    )
    expect(await outcome(await user.call('DELETE', '/users/identities/oidc'))).toEqual([403, 'step_up_required'])
    const post = user.call('POST', '/users/identities/github', { password: PASSWORD })
    expect(await outcome(await post)).toEqual([403, 'step_up_required'])
  })

  it('is undone by the link of the mail, which ends every session', async () => {
    const user = await kinora.newUser()
    person()
    await connect(user)
    const token = /token=([\w-]+)&secure=1/.exec((await kinora.mails(user.email))[0]!.text)![1]
    expect((await kinora.post('/auth/secure', { token })).status).toBe(200)
    expect((await user.call('GET', '/auth/me')).status).toBe(401)
    const rows = await kinora.context.pool.query('select from identity where user_id = $1', [user.userId])
    expect(rows.rowCount).toBe(0)
  })

  it('of an account without a password needs a sign-in in the last ten minutes', async () => {
    const member = await memberOf('oidc', 'fresh@kinora.test')
    const { pool } = kinora.context
    const begunAgo = (time: string) =>
      pool.query('update session set created_at = now() - $2::interval where user_id = $1', [member.id, time])
    await begunAgo('11 minutes')
    expect(await outcome(await member.call('POST', '/users/identities/github', {}))).toEqual([403, 'sign_in_again'])
    await begunAgo('9 minutes')
    expect((await member.call('POST', '/users/identities/github', {})).status).toBe(200)
  })
})

describe('the last way in', () => {
  const disconnect = ({ call }: { call: (method: string, path: string) => Promise<Response> }, provider: string) =>
    call('DELETE', `/users/identities/${provider}`)

  it('stays, also when two are removed at the same time', async () => {
    const member = await memberOf('oidc', 'last@kinora.test')
    expect(await outcome(await disconnect(member, 'oidc'))).toEqual([409, 'last_way_in'])
    github.signsIn({ id: 4_711, login: 'octocat', mails: [] })
    expect(await connect(member, 'github')).toBe('/profile/security#sign-ins')
    expect((await connected(member)).toSorted()).toEqual(['github', 'oidc'])
    const answers = await Promise.all(['oidc', 'github'].map((provider) => disconnect(member, provider)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409])
    expect(await connected(member)).toHaveLength(1)
  })

  it('may go when there is a password or a passkey, and not for a provider that is no longer set up', async () => {
    const { pool } = kinora.context
    const member = await memberOf('github', 'passkey@kinora.test')
    await pool.query(
      `insert into identity (issuer, subject, user_id, connected_at, last_used_at) values ('https://gone.test', '1', $1, now(), now())`,
      [member.id],
    )
    expect(await outcome(await disconnect(member, 'github'))).toEqual([409, 'last_way_in'])
    await pool.query('update user_account set has_password = true where id = $1', [member.id])
    expect((await disconnect(member, 'github')).status).toBe(204)
  })
})

describe('two providers', () => {
  it('have a logo if the settings name one, which runs nothing when it is opened as a page', async () => {
    const { providers } = (await (await fetch(`${kinora.api}/auth/providers`)).json()) as { providers: Provider[] }
    expect(providers).toEqual([
      { id: 'oidc', name: 'Acme', logo: expect.stringMatching(/^\/api\/v1\/auth\/providers\/oidc\/logo\?v=\w{16}$/) },
      { id: 'github', name: 'GitHub' },
    ])
    const answer = await fetch(kinora.url + providers[0]!.logo!)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(readFileSync(LOGO))
    expect(answer.headers.get('content-type')).toBe('image/svg+xml')
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*; sandbox;/)
    for (const id of ['github', 'other'])
      expect((await fetch(`${kinora.api}/auth/providers/${id}/logo`)).status).toBe(404)
  })

  it('do not answer for each other', async () => {
    person({ email: 'mixed@kinora.test', email_verified: true })
    const browser = new Browser()
    const isCallback = (address: string) => address.includes('/callback?')
    const callback = await browser.follow(`${kinora.api}/auth/providers/oidc/start`, isCallback)
    const mixed = callback.replace('/oidc/', '/github/')
    expect(problemOf(await arrive(browser, mixed))).toBe('flow_invalid')
  })

  it('have identities of their own, whatever their subjects', async () => {
    issuer.signsIn({ sub: '77', email: 'issuer@kinora.test', email_verified: true })
    github.signsIn({ id: 77, login: 'hub', mails: [{ email: 'hub@kinora.test', primary: true, verified: true }] })
    const emails = []
    for (const provider of ['oidc', 'github']) {
      const browser = new Browser()
      expect(await arrive(browser, `${kinora.api}/auth/providers/${provider}/start`)).toBe('/workspace')
      emails.push(((await (await browser.request(`${kinora.api}/auth/me`)).json()) as { email: string }).email)
    }
    expect(emails).toEqual(['issuer@kinora.test', 'hub@kinora.test'])
  })
})
