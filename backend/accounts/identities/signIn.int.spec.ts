import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RealIssuer, startRealIssuer } from '../../providers/signIn/testing/realIssuer.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { createIdentities } from './identities.ts'
import { Browser } from './testing/browser.ts'

let issuer: RealIssuer
let kinora: TestKinora
beforeAll(async () => {
  issuer = await startRealIssuer()
  kinora = await startTestKinora({ provider: await createProviderDouble(), env: issuer.env })
  issuer.accept(`${kinora.api}/auth/providers/oidc/callback`)
})
afterAll(async () => {
  await kinora?.close()
  await issuer?.close()
})
beforeEach(() => issuer.replace())

let people = 0
/** Returns a person whom the issuer signs in from now on. */
const person = (said: object = {}) => {
  const sub = `person-${++people}`
  const next = { sub, email: `${sub}@kinora.test`, email_verified: true, name: 'Ada Lovelace', ...said }
  issuer.signsIn(next)
  return next
}
const startOf = (query = '') => `${kinora.api}/auth/providers/oidc/start${query}`
const isCallback = (address: string) => address.includes('/oidc/callback')
const isPage = (address: string) => address.startsWith(kinora.url) && !address.startsWith(kinora.api)
/** Goes on from an address to a page of Kinora. */
const arrive = async (browser: Browser, address: string) =>
  (await browser.follow(address, isPage)).slice(kinora.url.length)
const signIn = (browser = new Browser(), query = '') => arrive(browser, startOf(query))
const problemOf = (page: string) => new URLSearchParams(page.split('#')[1]).get('problem')
const me = async (browser: Browser) => {
  const answer = await browser.request(`${kinora.api}/auth/me`)
  return answer.ok ? ((await answer.json()) as { id: string; email: string; username: string }) : undefined
}
const query = async (sql: string, values: unknown[] = []) => (await kinora.context.pool.query(sql, values)).rows
const identitiesOf = (email: string) =>
  query('select subject from identity join user_account on id = user_id where user_account.email = $1', [email])
const withParameter = (address: string, name: string, value: string) => {
  const url = new URL(address)
  url.searchParams.set(name, value)
  return url.href
}
const tokenOf = async (email: string) => /token=([\w-]+)/.exec((await kinora.mails(email))[0]!.text)![1]!

describe('a person who signs in at an issuer', () => {
  it('gets an account with a verified address, the free credits and no password, and opens the page asked for', async () => {
    const ada = person()
    const browser = new Browser()
    expect(await signIn(browser, '?next=%2Fprofile%3Fa%3D1%23credits&language=zh')).toBe('/zh/profile?a=1#credits')
    expect(await me(browser)).toMatchObject({ email: ada.email, username: 'Ada Lovelace', language: 'zh' })
    const rows = await query(
      `select has_password, email_verified_at is not null as verified,
         (select count(*)::int from free_grant where user_id = id) as grants from user_account where email = $1`,
      [ada.email],
    )
    expect(rows).toEqual([{ has_password: false, verified: true, grants: 1 }])
    expect(await kinora.mails(ada.email)).toEqual([])
  })

  it('keeps the account when the address at the issuer changes, and gets no other by it', async () => {
    const other = await kinora.newUser()
    const ada = person()
    const [first, second] = [new Browser(), new Browser()]
    await signIn(first)
    issuer.signsIn({ ...ada, email: other.email })
    await signIn(second)
    expect(await me(second)).toEqual(await me(first))
    expect(await identitiesOf(other.email)).toEqual([])
  })

  it('is connected to the account of a verified address, whose owner is told', async () => {
    const user = await kinora.newUser()
    person({ email: user.email.toUpperCase() })
    const browser = new Browser()
    expect(await signIn(browser)).toBe('/workspace')
    expect(await me(browser)).toMatchObject({ id: user.userId })
    expect((await kinora.mails(user.email)).map(({ subject }) => subject)).toContain(
      'A sign-in was connected to your Kinora account',
    )
    const { records } = (await (await user.call('GET', '/users/security')).json()) as { records: { event: string }[] }
    expect(records.map(({ event }) => event)).toContain('identity_connected')
    const login = await kinora.post('/auth/login', { email: user.email, password: 'correct horse' })
    expect(login.status).toBe(200)
  })

  it.each([
    ['false', { email_verified: false }],
    ['missing', { email_verified: undefined }],
    ['of another type', { email_verified: 1 }],
  ])('is connected to no account, and gets none, if the verification is %s', async (_, said) => {
    const user = await kinora.newUser()
    person({ ...said, email: user.email })
    const browser = new Browser()
    expect(problemOf(await signIn(browser))).toBe('link_refused')
    const unknown = person(said)
    expect(problemOf(await signIn(browser))).toBe('link_refused')
    expect(await me(browser)).toBeUndefined()
    expect(await query('select from user_account where email = $1', [unknown.email])).toEqual([])
    expect(await identitiesOf(user.email)).toEqual([])
  })

  it.each([{ email: undefined }, { email: 'no address' }, { email: '' }, { email: ['a@kinora.test'] }])(
    'gets no account without an address (%j)',
    async (said) => {
      person(said)
      expect(problemOf(await signIn())).toBe('link_refused')
    },
  )

  it('is not connected to an account with another spelling of the address, which may be a stranger’s mailbox', async () => {
    const user = await kinora.newUser()
    person({ email: user.email.replace('@', '+tag@') })
    expect(problemOf(await signIn())).toBe('link_refused')
  })

  it('is not connected to an account that has another identity of the issuer: addresses are given to new owners', async () => {
    const { email } = person()
    await signIn()
    person({ email })
    expect(problemOf(await signIn())).toBe('identity_conflict')
    expect(await identitiesOf(email)).toHaveLength(1)
  })

  it('replaces an account that was never verified, whose password and links are then useless', async () => {
    const ada = person()
    const registration = { email: ada.email, password: 'a stranger knows', username: 'Win a prize' }
    await kinora.post('/auth/register', registration)
    const token = await tokenOf(ada.email)
    const browser = new Browser()
    await signIn(browser)
    expect(await me(browser)).toMatchObject({ email: ada.email, username: 'Ada Lovelace' })
    expect((await kinora.post('/auth/login', registration)).status).toBe(401)
    expect((await kinora.post('/auth/verify-email', { token })).status).toBe(422)
  })

  it('gives no session before the second factor', async () => {
    const { email } = person()
    const first = new Browser()
    await signIn(first)
    await query(
      `insert into passkey (id, owner, name, public_key, counter, transports, created_at)
       select 'second', id, '', '', 0, '{}', now() from user_account where email = $1`,
      [email],
    )
    const browser = new Browser()
    const page = await signIn(browser, '?next=/library')
    expect(page).toMatch(/^\/auth\/provider#ticket=[\w.-]+&provider=oidc&connects=&next=%2Flibrary$/)
    expect(await me(browser)).toBeUndefined()
  })

  it('opens no page of another site', async () => {
    person()
    for (const next of ['//evil.test', 'https://evil.test/', '/\\evil.test', '/.//evil.test', '/\t/evil.test'])
      expect(await signIn(new Browser(), `?next=${encodeURIComponent(next)}`)).toBe('/workspace')
  })

  it('who declines reads so', async () => {
    issuer.signsIn(undefined)
    const page = await signIn()
    expect(page).toBe('/auth/provider#problem=provider_declined&provider=oidc&connects=&next=%2Fworkspace')
  })

  it('may sign in again after the account was deleted, as a new account without free credits', async () => {
    const { email } = person()
    const browser = new Browser()
    await signIn(browser)
    const before = await me(browser)
    await kinora.services.erasures.request(before!.id)
    expect(await me(browser)).toBeUndefined()
    expect(await identitiesOf(email)).toEqual([])
    await signIn(browser)
    expect((await me(browser))!.id).not.toBe(before!.id)
    expect(await query('select from free_grant where user_id = $1', [(await me(browser))!.id])).toEqual([])
  })

  it('in two tabs at the same time gets one account and one grant', async () => {
    const { email } = person()
    const browser = new Browser()
    const callbacks = [await browser.follow(startOf(), isCallback), await browser.follow(startOf(), isCallback)]
    const pages = await Promise.all(callbacks.map((callback) => arrive(browser, callback)))
    expect(pages).toEqual(['/workspace', '/workspace'])
    const rows = await query(
      `select (select count(*)::int from free_grant where user_id = id) as grants from user_account where email = $1`,
      [email],
    )
    expect([rows, await identitiesOf(email)]).toEqual([[{ grants: 1 }], [expect.anything()]])
  })
})

describe('a callback', () => {
  it('works once, in the browser that began', async () => {
    const { email } = person()
    const [browser, stranger] = [new Browser(), new Browser()]
    const callback = await browser.follow(startOf(), isCallback)
    expect(problemOf(await arrive(stranger, callback))).toBe('flow_invalid')
    await stranger.follow(startOf(), isCallback)
    expect(problemOf(await arrive(stranger, callback))).toBe('flow_invalid')
    expect(await me(stranger)).toBeUndefined()
    expect(await arrive(browser, callback)).toBe('/workspace')
    expect(problemOf(await arrive(browser, callback))).toBe('flow_invalid')
    expect(await me(browser)).toMatchObject({ email })
  })

  it.each([
    ['a state of nobody', (callback: string) => withParameter(callback, 'state', 'forged')],
    ['a changed state', (callback: string) => callback.replace(/state=(.{40})./, 'state=$1A')],
    ['no state', (callback: string) => withParameter(callback, 'state', '')],
    ['two states', (callback: string) => `${callback}&state=other`],
    ['the name of another issuer', (callback: string) => withParameter(callback, 'iss', 'https://evil.test')],
    ['no issuer', (callback: string) => callback.replace(/&iss=[^&]*/, '')],
    ['a code of nobody', (callback: string) => withParameter(callback, 'code', 'forged')],
    ['no code', (callback: string) => callback.replace(/code=[^&]*/, '')],
  ])('is refused with %s', async (_, forge) => {
    person()
    const browser = new Browser()
    const callback = await browser.follow(startOf(), isCallback)
    expect(forge(callback)).not.toBe(callback)
    expect(problemOf(await arrive(browser, forge(callback)))).toBe('flow_invalid')
    expect(await me(browser)).toBeUndefined()
  })

  it('is refused with the code of another sign-in, whoever it belongs to', async () => {
    person()
    const stranger = await new Browser().follow(startOf(), isCallback)
    person()
    const browser = new Browser()
    const callback = await browser.follow(startOf(), isCallback)
    const code = new URL(stranger).searchParams.get('code')!
    expect(problemOf(await arrive(browser, withParameter(callback, 'code', code)))).toBe('flow_invalid')
  })

  it('is refused if the token has another nonce, or the code another verifier', async () => {
    person()
    for (const name of ['nonce', 'code_challenge']) {
      const browser = new Browser()
      const authorize = await browser.follow(startOf(), (address) => address.startsWith(issuer.url))
      const forged = 'A'.repeat(43)
      const callback = await browser.follow(withParameter(authorize, name, forged), isCallback)
      expect(problemOf(await arrive(browser, callback))).toBe('flow_invalid')
    }
  })

  it('of an unknown provider is not found', async () => {
    for (const path of ['start', 'callback'])
      expect((await fetch(`${kinora.api}/auth/providers/github/${path}`)).status).toBe(404)
  })
})

describe('an issuer', () => {
  it('is listed with its name', async () => {
    const answer = await fetch(`${kinora.api}/auth/providers`)
    const logo = expect.stringMatching(/^\/api\/v1\/auth\/providers\/oidc\/logo\?v=/)
    expect(await answer.json()).toEqual({ providers: [{ id: 'oidc', name: 'Acme', logo }] })
  })

  it('may rotate its keys at any time', async () => {
    person()
    for (let rotation = 0; rotation < 3; rotation++) {
      expect(await signIn()).toBe('/workspace')
      issuer.rotateKeys()
    }
    expect(await signIn()).toBe('/workspace')
  })

  it.each<[string, Parameters<RealIssuer['replace']>[0]]>([
    ['ends connections', (request) => request.socket.destroy()],
    ['answers 500', (_, response) => response.writeHead(500).end('down')],
    ['sends pages', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Maintenance')],
    ['redirects', (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end()],
    ['sends JSON of nothing', (_, response) => response.setHeader('content-type', 'application/json').end('null')],
    ['sends a broken document', (_, response) => response.setHeader('content-type', 'application/json').end('{"iss')],
    [
      'sends 100 MB',
      (_, response) => {
        response.setHeader('content-type', 'application/json')
        let left = 1600
        const write = () => (left-- > 0 ? response.write('"'.repeat(65_536), write) : response.end())
        write()
      },
    ],
  ])('that %s is an answer that a person understands', async (_, listener) => {
    person()
    const browser = new Browser()
    const callback = await browser.follow(startOf(), isCallback)
    issuer.replace(listener)
    expect(problemOf(await arrive(browser, callback))).toBe('provider_unavailable')
    issuer.replace()
    expect(await signIn(browser)).toBe('/workspace')
  })
})

describe('where registration is closed', () => {
  const join = async (email: string, domains: readonly string[] = []) => {
    const { database } = kinora.context
    const { assertMayRegister } = kinora.services.control
    const closed = {
      database,
      registrationOpen: false,
      assertMayRegister,
      domains,
      production: false,
      calendar: Date.now,
    }
    const links = { revokeUnverified: async () => [] }
    const grants = { grantOnce: async () => true }
    const identities = createIdentities({ ...closed, links, grants } as unknown as Parameters<
      typeof createIdentities
    >[0])
    const profile = { subject: email, email, emailVerified: true, name: undefined }
    return (await identities.signIn('https://closed.test', profile, 'en')).account
  }

  it('no account is made, and accounts that exist are connected', async () => {
    await expect(join('stranger@kinora.test')).rejects.toMatchObject({ code: 'registration_closed' })
    await kinora.post('/auth/register', {
      email: 'pending@kinora.test',
      password: 'correct horse',
      username: 'Pending',
    })
    await expect(join('pending@kinora.test')).rejects.toMatchObject({ code: 'registration_closed' })
    const user = await kinora.newUser()
    expect((await join(user.email)).id).toBe(user.userId)
  })

  it('accounts of the listed domains are made, and of no subdomain', async () => {
    const domains = ['studio.test', 'xn--bcher-kva.test']
    expect(await join('ada@Studio.test', domains)).toMatchObject({ email: 'ada@studio.test', fullName: 'ada' })
    expect(await join('ada@bücher.test', domains)).toMatchObject({ fullName: 'ada' })
    for (const email of ['ada@evil.studio.test', 'ada@notstudio.test', 'ada@studio.test.evil.test'])
      await expect(join(email, domains)).rejects.toMatchObject({ code: 'registration_closed' })
  })
})
