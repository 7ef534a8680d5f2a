import { setImmediate as turn } from 'node:timers/promises'
import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'
import { createPageViews, type StoredPageView } from './pageViews.ts'
import { createVisitors } from './visitors.ts'

const VIEW: StoredPageView = {
  at: '2026-01-02T03:04:05.678Z',
  event_type: 'page_view',
  path: '/faq',
  status_code: 200,
  bot: false,
  visitor: '00000000-0000-0000-0000-000000000001',
  session_id: null,
  user_id: null,
  referrer: null,
  user_agent: null,
  ip: '203.0.113.77',
}

describe('the page view writer', () => {
  /** A pool that records the size of each batch and answers when the test lets it. */
  function pool() {
    const batches: number[] = []
    const fake = {
      answer: (): Promise<void> => Promise.resolve(),
      batches,
      query: async ({ name, values }: { name?: string; values: [string] }) => {
        if (!name) return
        batches.push(JSON.parse(values[0]).length)
        await fake.answer()
      },
    }
    return fake
  }
  const writer = (of: ReturnType<typeof pool>) => createPageViews(of as never, pino({ level: 'silent' }), () => {})
  const many = (views: ReturnType<typeof writer>, count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => views.record(VIEW)))
  const begun = ({ batches }: ReturnType<typeof pool>) => eventually(() => expect(batches).toHaveLength(1))
  const refused = (results: PromiseSettledResult<void>[]) =>
    results.filter((result) => result.status === 'rejected' && result.reason.code === 'unavailable').length

  it('writes views also if the clock is set forward while they wait', async () => {
    const database = pool()
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const views = writer(database)
      const results = many(views, 3)
      vi.setSystemTime(Date.now() + 3_600_000)
      expect([refused(await results), database.batches]).toEqual([0, [3]])
    } finally {
      vi.useRealTimers()
    }
  })

  it('answers when the batch is committed and writes one batch at a time', async () => {
    const database = pool()
    const written = Promise.withResolvers<void>()
    database.answer = () => written.promise
    const views = writer(database)
    let answered = 0
    for (let view = 0; view < 3; view++) void views.record(VIEW).then(() => answered++)
    await begun(database)
    const later = many(views, 1_200)
    // The writer begins a batch in the next turn of the event loop.
    await turn()
    await turn()
    expect([answered, database.batches]).toEqual([0, [3]])
    written.resolve()
    await later
    expect([answered, database.batches]).toEqual([3, [3, 500, 500, 200]])
  })

  it('rejects visits whose batch failed, then writes the next ones', async () => {
    const database = pool()
    database.answer = () => Promise.reject(new Error('gone'))
    const views = writer(database)
    expect(refused(await many(views, 3))).toBe(3)
    database.answer = () => Promise.resolve()
    expect(refused(await many(views, 3))).toBe(0)
  })

  it('rejects visits beyond 5,000 waiting and visits that waited for five seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const database = pool()
    const stuck = Promise.withResolvers<void>()
    database.answer = () => stuck.promise
    const views = writer(database)
    const first = many(views, 1)
    await begun(database)
    const others = many(views, 5_200)
    vi.advanceTimersByTime(6_000)
    stuck.resolve()
    expect(refused(await first)).toBe(0)
    expect(refused(await others)).toBe(5_200)
    expect(database.batches).toEqual([1])
    vi.useRealTimers()
  })
})

describe('POST /analytics/page-view', () => {
  let kinora: TestKinora
  let user: TestUser
  let pool: pg.Pool
  beforeAll(async () => {
    kinora = await startTestKinora({ provider: await createProviderDouble() })
    user = await kinora.newUser()
    const { connection } = await connectDatabase({ databaseUrl: undefined, dataDir: kinora.dataDir }, () => {})
    pool = openPool(connection)
  })
  afterAll(async () => {
    await pool.end()
    await kinora.close()
  })

  const SHOWN = 'event_type, path, status_code, bot, referrer, user_agent, session_id, user_id, host(ip) as ip'
  const rows = async () => {
    const { rows } = await pool.query<Record<string, unknown>>(`select ${SHOWN} from page_view order by at`)
    await pool.query('truncate page_view')
    return rows
  }
  const send = (body: string, type: string, headers = {}) =>
    fetch(`${kinora.api}/analytics/page-view`, { method: 'POST', headers: { 'content-type': type, ...headers }, body })
  const record = {
    path: '/reset-password?token=secret#top',
    referrer: 'https://search.example/?q=somebody',
    user_agent: 'Browser/1',
    timestamp: '2026-01-02T03:04:05.678Z',
    user_id: null,
    session_id: 'abc',
  }
  const stored = {
    event_type: 'page_view',
    path: '/reset-password',
    status_code: 200,
    bot: false,
    referrer: 'https://search.example/',
    user_agent: 'Browser/1',
    session_id: 'abc',
    user_id: null,
    ip: '127.0.0.1',
  }

  it('stores a visit before it answers, without query strings', async () => {
    const answer = await kinora.post('/analytics/page-view', record)
    expect([answer.status, await answer.json()]).toEqual([202, { success: true, message: 'Counted.' }])
    expect(await rows()).toEqual([stored])
  })

  it('accepts the beacon of a page that is left', async () => {
    const answer = await send(
      JSON.stringify({ ...record, event_type: 'page_unload', status_code: 404 }),
      'text/plain;charset=UTF-8',
    )
    expect(answer.status).toBe(202)
    expect(await rows()).toEqual([{ ...stored, event_type: 'page_unload', status_code: 404 }])
  })

  it('takes the user from the session, not from the body', async () => {
    await user.call('POST', '/analytics/page-view', { path: '/workspace' })
    await kinora.post('/analytics/page-view', { path: '/faq', user_id: user.userId })
    expect((await rows()).map(({ path, user_id }) => [path, user_id])).toEqual([
      ['/workspace', user.userId],
      ['/faq', null],
    ])
  })

  it('marks bots by their user agent', async () => {
    const agents = ['Mozilla/5.0 (compatible; Googlebot/2.1)', 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0']
    for (const user_agent of agents) await kinora.post('/analytics/page-view', { path: '/faq', user_agent })
    expect((await rows()).map(({ bot }) => bot)).toEqual([true, false])
  })

  it('tells visitors apart by session id, or by a hash that another day cannot reproduce', async () => {
    const visit = (fields: object) => kinora.post('/analytics/page-view', { path: '/faq', ...fields })
    for (const fields of [
      { session_id: 'a' },
      { session_id: 'a', user_agent: 'another' },
      { session_id: 'b' },
      { user_agent: 'x' },
      { user_agent: 'x' },
      { user_agent: 'y' },
    ])
      await visit(fields)
    const { rows: visitors } = await pool.query<{ visitor: string }>('select visitor from page_view order by at')
    const [a, alsoA, b, x, alsoX, y] = visitors.map(({ visitor }) => visitor)
    expect([alsoA, alsoX]).toEqual([a, x])
    expect(new Set([a, b, x, y]).size).toBe(4)
    await pool.query(`update visitor_salt set salt = '\\x00'`)
    const otherProcess = createVisitors(pool, (at) => new Date(at).toISOString().slice(0, 10))
    expect(await otherProcess.visitorId({ sessionId: null, ip: '127.0.0.1', userAgent: 'x', at: Date.now() })).not.toBe(
      x,
    )
    await rows()
  })

  it('accepts a path of any length and characters', async () => {
    const long = `/${'\u{1f3ac}'.repeat(900)}`
    expect((await kinora.post('/analytics/page-view', { path: long })).status).toBe(202)
    expect((await rows()).map(({ path }) => String(path).length)).toEqual([600])
  })

  it('does not count paths that are not pages of the site', async () => {
    const paths = [
      '/admin/dashboard',
      '/zh/admin/dashboard',
      '/api/v1/x',
      '/docs',
      '/docs/start',
      '/zh/docs/backups',
      '/v/secret',
      '/V/secret',
      '/healthz',
      '/favicon.svg',
      '/robots.txt',
      '/sitemap-0.xml',
    ]
    const answers = await Promise.all(paths.map((path) => kinora.post('/analytics/page-view', { path })))
    for (const answer of answers)
      expect([answer.status, await answer.json()]).toEqual([202, { success: true, message: 'Not counted.' }])
    expect(await rows()).toEqual([])
  })

  it('keeps the secret of a shared video that led to a page', async () => {
    const view = (path: string, referrer: string) => kinora.post('/analytics/page-view', { path, referrer })
    await view('/faq', 'https://kinora.test/v/secret')
    await view('/zh/documents', 'https://kinora.test/zh/V/secret')
    const found = (await rows()).map(({ path, referrer }) => [path, referrer]).toSorted()
    expect(found).toEqual([
      ['/faq', 'https://kinora.test/'],
      ['/zh/documents', 'https://kinora.test/'],
    ])
  })

  it('rejects bodies that are not a visit', async () => {
    const faults = [
      ['{', 'text/plain', 422],
      ['null', 'text/plain', 422],
      ['{}', 'text/plain', 422],
      ['{"path":"https://elsewhere.example/"}', 'application/json', 422],
      [JSON.stringify({ path: `/${'x'.repeat(3000)}` }), 'application/json', 422],
      ['{"path":"/","event_type":"other"}', 'application/json', 422],
      ['{"path":"/"}', 'application/x-www-form-urlencoded', 415],
      ['x'.repeat(100_000), 'text/plain', 413],
    ] as const
    for (const [body, type, status] of faults) expect([body, (await send(body, type)).status]).toEqual([body, status])
    expect(await rows()).toEqual([])
  })

  it('accepts characters that Postgres cannot store', async () => {
    expect((await kinora.post('/analytics/page-view', { path: '/a\u0000b', user_agent: '\ud800' })).status).toBe(202)
    expect((await kinora.post('/analytics/page-view', { path: '/faq' })).status).toBe(202)
    expect((await rows()).map(({ path }) => path)).toContain('/faq')
  })

  it('rejects text/plain on other endpoints', async () => {
    const answer = await fetch(`${kinora.api}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    })
    expect(answer.status).toBe(415)
  })
})
