import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { createOperatorActions } from './operatorActions.ts'

const PASSWORD = 'a password for olga'

let kinora: TestKinora
let cookie = ''
beforeAll(async () => {
  const env = { OPERATOR_USERNAME: 'olga', OPERATOR_PASSWORD: PASSWORD, OPERATOR_TIME_ZONE: 'Europe/Berlin' }
  // It is about noon in Berlin, so that no test runs into another day.
  const moved = new Date().setUTCHours(10) - Date.now()
  kinora = await startTestKinora({ provider: await createProviderDouble(), env, now: () => Date.now() + moved })
})
afterAll(() => kinora?.close())

const signIn = (username = 'olga', password = PASSWORD) =>
  kinora.post('/analytics/login', { username, password }, { 'user-agent': 'Browser/1' })
const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]!.split(';')[0]!
const get = (path: string, headers: Record<string, string> = { cookie }) => fetch(kinora.api + path, { headers })
const json = async <Answer = Record<string, never>>(path: string) => (await get(path)).json() as Promise<Answer>

const CALLS = [
  '/overview',
  '/weekly',
  '/hourly',
  '/users/overview',
  '/users/list',
  '/pages',
  '/live',
  '/actions',
  '/backup',
].map((path) => `/analytics${path}`)

describe('the operator', () => {
  beforeEach(() => kinora.context.pool.query('truncate operator_session, operator_action, throttle'))

  it('must sign in for every call and for the page', async () => {
    const user = await kinora.newUser()
    for (const path of CALLS)
      for (const headers of [{}, { cookie: 'kinora_operator=x' }, { cookie: user.cookie }] as Record<string, string>[])
        expect([path, (await get(path, headers)).status]).toEqual([path, 401])
    for (const [page, to] of [
      ['/admin/dashboard', '/admin/dashboard/login'],
      ['/admin/dashboard/', '/admin/dashboard/login'],
      ['/zh/admin/dashboard', '/zh/admin/dashboard/login'],
    ]) {
      const answer = await fetch(kinora.url + page, { redirect: 'manual', headers: { cookie: user.cookie } })
      expect([answer.status, answer.headers.get('location')]).toEqual([302, to])
    }
  })

  it('signs in with name and password, gets an HttpOnly cookie, and has access until sign-out', async () => {
    const answer = await signIn()
    expect([answer.status, await answer.json()]).toEqual([200, { success: true, message: 'Signed in.' }])
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^kinora_operator=[\w-]{43}; path=\/; expires=[^;]+; samesite=lax; httponly$/),
      expect.stringMatching(/^kinora_operator_device=[\w.-]{80}; path=\/; expires=[^;]+; samesite=lax; httponly$/),
    ])
    const session = { cookie: cookieOf(answer) }
    for (const path of CALLS) expect([path, (await get(path, session)).status]).toEqual([path, 200])
    const { rows } = await kinora.context.pool.query<{ hash: string }>('select hash from operator_session')
    expect(rows.map(({ hash }) => hash)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
    const page = await fetch(`${kinora.url}/admin/dashboard`, { redirect: 'manual', headers: session })
    expect(page.headers.get('location')).not.toBe('/admin/dashboard/login')
    expect((await kinora.post('/analytics/logout', undefined, session)).status).toBe(200)
    for (const path of CALLS) expect((await get(path, session)).status).toBe(401)
    expect((await kinora.post('/analytics/logout', undefined, session)).status).toBe(200)
  })

  it('gets an error that names the missing field', async () => {
    const answer = await kinora.post('/analytics/login', { username: '' })
    expect(answer.status).toBe(422)
    const { errors } = (await answer.json()) as { errors: { path: string; code: string }[] }
    expect(errors.map(({ path, code }) => [path, code])).toEqual([
      ['username', 'required'],
      ['password', 'required'],
    ])
  })

  it('sees sign-ins, sign-outs and refused attempts in the list of actions', async () => {
    await kinora.post('/analytics/logout', undefined, { cookie: cookieOf(await signIn()) })
    expect((await signIn('olga', 'wrong')).status).toBe(401)
    expect((await signIn('someone', PASSWORD)).status).toBe(401)
    cookie = cookieOf(await signIn())
    const { actions, total } = await json<{ actions: { action: string }[]; total: number }>('/analytics/actions')
    expect(actions.map(({ action }) => action)).toEqual([
      'signed_in',
      'sign_in_refused',
      'sign_in_refused',
      'signed_out',
      'signed_in',
    ])
    expect(total).toBe(5)
    const [at, ip] = [expect.any(String), expect.any(String)]
    expect(actions[0]).toEqual({ at, action: 'signed_in', detail: null, operator: 'olga', ip })
    expect(JSON.stringify(actions)).not.toContain('wrong')
  })

  it('has refused sign-ins, with the addresses of strangers, deleted after 90 days, and no other action', async () => {
    const { pool } = kinora.context
    await kinora.post('/analytics/logout', undefined, { cookie: cookieOf(await signIn()) })
    await signIn('olga', 'wrong')
    await pool.query("update operator_action set at = at - interval '91 days'")
    expect((await signIn('olga', 'wrong')).status).toBe(401)
    await createOperatorActions(pool).deleteRefusalsBefore(new Date(Date.now() - 90 * 86_400_000))
    const { rows } = await pool.query<{ action: string }>('select action from operator_action order by id desc')
    expect(rows.map(({ action }) => action)).toEqual(['sign_in_refused', 'signed_out', 'signed_in'])
  })

  it('ends the session that a new sign-in in the same browser replaces', async () => {
    const cookieOf = (answer: Response) =>
      answer.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')
    const old = cookieOf(await signIn())
    const body = { username: 'olga', password: PASSWORD }
    const next = cookieOf(await kinora.post('/analytics/login', body, { cookie: old }))
    const board = (cookie: string) => fetch(`${kinora.api}/analytics/factors`, { headers: { cookie } })
    expect([(await board(old)).status, (await board(next)).status]).toEqual([401, 200])
  })

  it('is locked out after repeated wrong passwords, even with the right one', async () => {
    const statuses = await Promise.all(Array.from({ length: 30 }, () => signIn('olga', 'guess').then((a) => a.status)))
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10)
    const answer = await signIn()
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('stays able to sign in from a known device while others guess', async () => {
    const device = (await signIn()).headers.getSetCookie().find((line) => line.startsWith('kinora_operator_device='))!
    await Promise.all(Array.from({ length: 70 }, () => signIn('olga', 'guess')))
    const body = { username: 'olga', password: PASSWORD }
    const attempt = (cookie: string) => kinora.post('/analytics/login', body, { cookie })
    expect((await attempt('')).status).toBe(429)
    expect((await attempt(`${device.split(';')[0]!.slice(0, -1)}_`)).status).toBe(429)
    expect((await attempt(device.split(';')[0]!)).status).toBe(200)
  })
})

describe('the board', () => {
  beforeAll(async () => {
    cookie = cookieOf(await signIn())
  })

  const visit = (path: string, fields: object = {}) => kinora.post('/analytics/page-view', { path, ...fields })

  it('shows the visits of today and of the week', async () => {
    for (const [path, session_id] of [
      ['/', 'a'],
      ['/faq', 'a'],
      ['/', 'b'],
    ] as const)
      await visit(path, { session_id })
    await visit('/', { session_id: 'b', event_type: 'page_unload' })
    await visit('/', { session_id: 'c', user_agent: 'Googlebot/2.1' })
    await visit('/lost', { session_id: 'b', status_code: 404 })
    await kinora.visitsCounted()
    const { success, data } = await json<{ success: boolean; data: never }>('/analytics/overview')
    const visits = (path: string, status_code = 200) => ({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
      path,
      ip: '127.0.0.1',
      status_code,
    })
    expect({ success, data }).toEqual({
      success: true,
      data: {
        today: {
          pv: 4,
          uv: 2,
          pages: 3,
          page_ranking: [
            { path: '/', count: 2 },
            { path: '/faq', count: 1 },
            { path: '/lost', count: 1 },
          ],
        },
        yesterday: { pv: 0, uv: 0 },
        growth: { pv_growth: 0, uv_growth: 0 },
        recent_visits: [visits('/lost', 404), visits('/'), visits('/faq'), visits('/')],
        last_updated: expect.any(String),
        time_zone: 'Europe/Berlin',
      },
    })
    const hours = await json<{ data: { hourly_distribution: { count: number }[] } }>('/analytics/hourly')
    expect(hours.data.hourly_distribution.map(({ count }) => count).reduce((sum, count) => sum + count)).toBe(4)
    expect(hours.data.hourly_distribution).toHaveLength(24)
    expect(await json('/analytics/live')).toEqual({
      success: true,
      data: {
        visitors: 2,
        pages: [
          { path: '/', count: 2 },
          { path: '/faq', count: 1 },
          { path: '/lost', count: 1 },
        ],
      },
    })
    const weekly = await json<{ data: { daily_data: object[]; total_pv: number } }>('/analytics/weekly')
    expect(weekly.data.total_pv).toBe(4)
    expect(weekly.data.daily_data).toHaveLength(7)
    expect(weekly.data.daily_data.at(-1)).toMatchObject({ pv: 4, uv: 2 })
  })

  it('shows the users', async () => {
    const overview = async () => (await json<{ data: Record<string, number> }>('/analytics/users/overview')).data
    const { total_users, today_registrations, verified_users } = await overview()
    const user = await kinora.newUser()
    await kinora.post('/auth/register', { email: 'new@kinora.test', password: 'correct horse', username: 'New' })
    expect(await overview()).toMatchObject({
      total_users: total_users! + 2,
      today_registrations: today_registrations! + 2,
      registration_growth: 0,
      verified_users: verified_users! + 1,
      verification_rate: Math.round((1_000 * (verified_users! + 1)) / (total_users! + 2)) / 10,
    })
    const list = await json<{ users: object[] }>('/analytics/users/list?page=1&per_page=2')
    expect(list).toEqual({
      success: true,
      users: [
        { id: expect.any(String), email: 'new@kinora.test', created_at: expect.any(String), email_verified: false },
        { id: user.userId, email: user.email, created_at: expect.any(String), email_verified: true },
      ],
      pagination: { total: total_users! + 2, page: 1, per_page: 2 },
    })
    await user.call('POST', '/users/delete', { password: 'correct horse' })
    expect(await overview()).toMatchObject({ total_users: total_users! + 1, verified_users })
  })

  it.each([
    ['/weekly?from=2026-02-30', 'from', 'invalid_date'],
    ['/weekly?to=yesterday', 'to', 'invalid_date'],
    ['/weekly?from=0000-01-01&to=0000-01-02', 'from', 'invalid_date'],
    ['/weekly?from=2026-03-02&to=2026-03-01', 'from', 'period_reversed'],
    ['/pages?from=2026-01-01&to=2026-04-01', 'from', 'period_too_long'],
    ['/users/overview?from=2026-01-01&from=2026-01-02', 'from', 'invalid'],
    ['/users/list?page=0', 'page', 'invalid'],
    ['/users/list?per_page=101', 'per_page', 'invalid'],
    ['/users/list?page=1e99', 'page', 'invalid'],
    ['/actions?page=x', 'page', 'invalid'],
  ])('rejects %s, naming the field', async (address, path, code) => {
    const answer = await get(`/analytics${address}`)
    const { errors } = (await answer.json()) as { errors: { path: string; code: string }[] }
    expect([answer.status, errors?.[0]?.path, errors?.[0]?.code]).toEqual([422, path, code])
  })
})
