import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPERATOR_ROLES, type OperatorRole } from '../../kernel/http/contract.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { soon } from '../../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { TABLES } from '../contract.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
const MAIL = 'maria.silva@mail.example.org'
const PASSWORD = 'seventeen wet geese'

let kinora: TestKinora
let userId = ''
const cookies = new Map<OperatorRole, string>()
const ids = new Map<OperatorRole, string>()

beforeAll(async () => {
  const env = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password }
  kinora = await startTestKinora({ provider: await createProviderDouble(), env })
  userId = (await kinora.newUser(MAIL)).userId
})
afterAll(() => kinora?.close())

const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]!.split(';')[0]!
const json = async <T>(answer: Response | Promise<Response>) => (await (await answer).json()) as T
const outcome = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code]
const signIn = (username: string, password = PASSWORD) => kinora.post('/analytics/login', { username, password })
function call(cookie: string, method: string, path: string, body?: object) {
  const headers = { cookie, ...(body && { 'content-type': 'application/json' }) }
  return fetch(kinora.api + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}
const stepUp = (at: Date | null) => kinora.context.pool.query('update operator_session set stepped_up_at = $1', [at])
const owner = () => cookies.get('owner')!
const invite = (name: string, role: string, as = owner()) =>
  call(as, 'POST', '/analytics/operators', { name, email: `${name}@kinora.test`, role })

/** Follows the mailed invitation. Returns the cookie of the session without a second factor. */
async function accept(name: string): Promise<string> {
  const [mail] = await kinora.mails(`${name}@kinora.test`)
  const token = /#token=([\w-]+)/.exec(mail!.text)![1]!
  const answer = await kinora.post('/analytics/operators/accept', { token, password: PASSWORD })
  expect(answer.status).toBe(200)
  expect((await kinora.post('/analytics/operators/accept', { token, password: PASSWORD })).status).toBe(422)
  return cookieOf(answer)
}

/** Sets up an authenticator app, which is the operator's first factor. Returns its secret. */
async function setUp(cookie: string): Promise<string> {
  const { secret } = await json<{ secret: string }>(call(cookie, 'POST', '/analytics/totp', { password: PASSWORD }))
  const code = TOTP.generate({ secret: new TOTP({ secret }).secret })
  expect((await call(cookie, 'POST', '/analytics/totp/confirm', { code })).status).toBe(200)
  return secret
}

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly role: OperatorRole
}
/** Returns the operations of operators, each with the lowest role that may call it. */
async function operations(): Promise<Operation[]> {
  const { paths } = await json<{
    paths: Record<string, Record<string, { security: { operator?: [OperatorRole] }[] }>>
  }>(fetch(`${kinora.api}/openapi.json`))
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security }]) => {
      const role = security[0]?.operator?.[0]
      return role ? [{ name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, role }] : []
    }),
  )
}

describe('operators', { shuffle: false }, () => {
  it('are invited by mail, choose a password, and may do nothing until they have a second factor', async () => {
    cookies.set('owner', cookieOf(await signIn(OPERATOR.username, OPERATOR.password)))
    expect(await json(call(owner(), 'GET', '/analytics/me'))).toMatchObject({
      name: 'olga',
      role: 'owner',
      alone: true,
    })
    for (const [name, role] of [
      ['vera', 'viewer'],
      ['sam', 'support'],
      ['ida', 'viewer'],
    ] as const) {
      const invited = await invite(name, role)
      expect(invited.status).toBe(201)
      const { id, link } = await json<{ id: string; link: null }>(invited)
      expect(link).toBe(null)
      const isLeft = name === 'ida'
      const cookie = await accept(name)
      ids.set(isLeft ? 'invited' : role, id)
      cookies.set(isLeft ? 'invited' : role, cookie)
      expect(await outcome(await call(cookie, 'GET', '/analytics/overview'))).toEqual([403, 'operator_role'])
      if (!isLeft) await setUp(cookie)
      expect((await json<{ role: string }>(call(cookie, 'GET', '/analytics/me'))).role).toBe(isLeft ? 'invited' : role)
    }
    expect(await outcome(await signIn('vera'))).toEqual([401, 'second_factor_required'])
    expect((await signIn('ida')).status).toBe(200)
    expect(await outcome(await signIn('vera', 'wrong'))).toEqual([401, 'invalid_credentials'])
    expect(await outcome(await invite('VERA', 'viewer'))).toEqual([409, 'operator_exists'])
  })

  it('may call exactly the operations of their role', async () => {
    const leaks: unknown[] = []
    const all = await operations()
    // A session that proved its second factor would lose it by one of the calls.
    await stepUp(null)
    for (const { name, method, path, role } of all)
      for (const own of OPERATOR_ROLES) {
        const address = path.replaceAll(/\{\w+\}/g, '019a0000-0000-7000-8000-000000000000')
        const answer = await call(cookies.get(own)!, method, address, method === 'GET' ? undefined : {})
        const text = await answer.text()
        const isRefused = answer.status === 403 && text.includes('"operator_role"')
        const isAllowed = OPERATOR_ROLES.indexOf(own) >= OPERATOR_ROLES.indexOf(role)
        if (isRefused === isAllowed || answer.status === 401) leaks.push([own, name, answer.status])
      }
    await stepUp(new Date())
    expect(leaks).toEqual([])
    expect(all.length).toBeGreaterThan(45)
    expect(new Set(all.map(({ role }) => role))).toEqual(new Set(OPERATOR_ROLES))
  })

  it('who are viewers see an address only by an act that is recorded', async () => {
    const viewer = cookies.get('viewer')!
    const about = `values ('${userId}', 'report', '${userId}', '${userId}', 'from ${MAIL}', now())`
    await kinora.context.pool.query(`insert into desk_case (id, kind, subject, user_id, detail, opened_at) ${about}`)
    const paths = (await operations())
      .filter(({ method, role }) => method === 'GET' && role === 'viewer')
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, userId) + (path.endsWith('search') ? `?q=${MAIL}` : ''))
    const shownTo = async (cookie: string) => {
      const shown: string[] = []
      for (const path of paths) if ((await (await call(cookie, 'GET', path)).text()).includes(MAIL)) shown.push(path)
      return shown
    }
    expect(await shownTo(viewer)).toEqual([])
    // An owner who proved a second factor sees it there. Search and the person's page mask it for everyone.
    expect(await shownTo(owner())).toEqual(['/analytics/users/list', '/desk/cases', `/desk/cases/${userId}`])
    expect(paths).toEqual(expect.arrayContaining([`/desk/people/${userId}`, `/desk/search?q=${MAIL}`]))
    for (const table of TABLES)
      expect((await call(viewer, 'GET', `/analytics/tables/${table}.csv`)).status, table).toBe(403)
    const revealed = await call(viewer, 'POST', `/desk/people/${userId}/reveal`)
    expect(await revealed.text()).toContain(MAIL)
    const { actions } = await json<{ actions: object[] }>(call(owner(), 'GET', '/analytics/actions'))
    expect(actions[0]).toMatchObject({ action: 'person_shown', operator: 'vera', detail: `user ${userId}` })
  })

  it('cannot raise themselves, and only owners give roles', async () => {
    const sam = cookies.get('support')!
    const change = (as: string, of: OperatorRole, role: string) =>
      call(as, 'PUT', `/analytics/operators/${ids.get(of)}`, { role })
    expect(await outcome(await change(sam, 'support', 'owner'))).toEqual([403, 'operator_role'])
    expect((await change(owner(), 'support', 'viewer')).status).toBe(204)
    expect(await outcome(await call(sam, 'POST', '/desk/actions', {}))).toEqual([403, 'operator_role'])
    expect((await change(owner(), 'support', 'owner')).status).toBe(204)
    expect(await json(call(sam, 'GET', '/analytics/me'))).toMatchObject({ role: 'owner', alone: false })
  })

  it('set a new password with a mailed link, once, and still need their second factor', async () => {
    const forget = (username: string) => kinora.post('/analytics/operators/forgot', { username })
    const subject = 'Reset your password for the operator’s desk'
    const resets = async () => (await kinora.mails('vera@kinora.test')).filter((mail) => mail.subject === subject)
    for (const name of ['nobody', OPERATOR.username, 'vera', 'vera']) expect((await forget(name)).status).toBe(204)
    await soon(async () => expect(await resets()).toHaveLength(1))
    const token = /reset#token=([\w-]+)/.exec((await resets())[0]!.text)![1]!
    const reset = (password: string) => kinora.post('/analytics/operators/accept', { token, password })
    expect((await reset('password')).status).toBe(422)
    await kinora.context.pool.query('delete from throttle')
    const done = await reset('eighteen dry geese')
    expect([done.status, await json(done)]).toEqual([200, { success: true, name: 'vera', signed_in: false }])
    expect(await outcome(await reset('eighteen dry geese'))).toEqual([422, 'token_invalid'])
    expect((await call(cookies.get('viewer')!, 'GET', '/analytics/me')).status).toBe(401)
    expect(await outcome(await signIn('vera'))).toEqual([401, 'invalid_credentials'])
    expect(await outcome(await signIn('vera', 'eighteen dry geese'))).toEqual([401, 'second_factor_required'])
    expect(await resets()).toHaveLength(1)
  })

  it('are recorded as joined once, although a reset signs them in to set up a second factor', async () => {
    const resets = async () =>
      (await kinora.mails('ida@kinora.test')).flatMap(({ text }) => /reset#token=([\w-]+)/.exec(text)?.[1] ?? [])
    await kinora.post('/analytics/operators/forgot', { username: 'ida' })
    await soon(async () => expect(await resets()).toHaveLength(1))
    const [token] = await resets()
    const done = await kinora.post('/analytics/operators/accept', { token, password: 'nineteen dry geese' })
    expect(await json(done)).toMatchObject({ name: 'ida', signed_in: true })
    const { actions } = await json<{ actions: { action: string }[] }>(call(owner(), 'GET', '/analytics/actions'))
    expect(actions[0]?.action).toBe('password_reset')
  })

  it('who are removed lose their sessions at once, and the last owner stays', async () => {
    const sam = cookies.get('support')!
    const remove = (as: string, id: string) => call(as, 'DELETE', `/analytics/operators/${id}`)
    const bootstrap = '00000000-0000-0000-0000-000000000000'
    expect((await remove(sam, bootstrap)).status).toBe(204)
    expect((await call(owner(), 'GET', '/analytics/me')).status).toBe(401)
    expect(await outcome(await signIn(OPERATOR.username, OPERATOR.password))).toEqual([401, 'invalid_credentials'])
    expect(await outcome(await remove(sam, ids.get('support')!))).toEqual([409, 'last_owner'])
    expect((await remove(sam, ids.get('viewer')!)).status).toBe(204)
    expect((await call(cookies.get('viewer')!, 'GET', '/analytics/me')).status).toBe(401)
    expect(await outcome(await signIn('vera'))).toEqual([401, 'invalid_credentials'])
    const { operators } = await json<{ operators: { name: string }[] }>(call(sam, 'GET', '/analytics/operators'))
    expect(operators.map(({ name }) => name)).toEqual(['sam', 'ida'])
  })
})
