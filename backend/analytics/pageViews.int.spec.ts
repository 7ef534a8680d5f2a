import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectDatabase } from '../database/connect.ts'
import { createProviderDouble } from '../testing/providerDouble.ts'
import { startTestKinora, type TestKinora, type TestUser } from '../testing/testKinora.ts'
import { createPageViews, type StoredPageView } from './pageViews.ts'

const VIEW: StoredPageView = {
  at: '2026-01-02T03:04:05.678Z',
  event_type: 'page_view',
  path: '/faq',
  status_code: 200,
  referrer: null,
  user_agent: null,
  session_id: null,
  user_id: null,
  ip: '203.0.113.0/24',
}

describe('the buffer of page views', () => {
  /** A pool that keeps the sizes of the batches it was sent, or fails. */
  function pool() {
    const batches: number[] = []
    const fake = {
      fails: false,
      batches,
      query: async (_: unknown, [rows]: [string]) => {
        if (fake.fails) throw new Error('gone')
        batches.push(JSON.parse(rows).length)
      },
    }
    return fake
  }
  const buffer = (of: ReturnType<typeof pool>) => createPageViews(of as never, pino({ level: 'silent' }))

  it('writes 500 at once, and the rest a quarter of a second later', async () => {
    vi.useFakeTimers()
    const database = pool()
    const views = buffer(database)
    for (let view = 0; view < 1_203; view++) views.record(VIEW)
    await vi.advanceTimersByTimeAsync(240)
    expect(database.batches.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThanOrEqual(1_000)
    await vi.advanceTimersByTimeAsync(20)
    expect(database.batches.reduce((sum, rows) => sum + rows, 0)).toBe(1_203)
    expect(Math.max(...database.batches)).toBe(500)
    vi.useRealTimers()
  })

  it('keeps what could not be written, up to a bound, and writes it later', async () => {
    const database = pool()
    const views = buffer(database)
    database.fails = true
    for (let view = 0; view < 30_000; view++) views.record(VIEW)
    await views.flush()
    database.fails = false
    views.record(VIEW)
    await views.flush()
    expect(database.batches.reduce((sum, rows) => sum + rows, 0)).toBe(20_000)
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
    pool = new pg.Pool(connection)
  })
  afterAll(async () => {
    await pool.end()
    await kinora.close()
  })

  const SHOWN = 'event_type, path, status_code, referrer, user_agent, session_id, user_id, ip::text'
  const rows = async () => {
    // What was taken is written within a quarter of a second.
    await delay(400)
    const { rows } = await pool.query<Record<string, unknown>>(`select ${SHOWN} from page_view order by id`)
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
    referrer: 'https://search.example/',
    user_agent: 'Browser/1',
    session_id: 'abc',
    user_id: null,
    ip: '127.0.0.0/24',
  }

  it('stores a visit without what may be a secret, and only the network it came from', async () => {
    const answer = await kinora.post('/analytics/page-view', record)
    expect([answer.status, await answer.json()]).toEqual([202, { success: true, message: 'Counted.' }])
    expect(await rows()).toEqual([stored])
  })

  it('takes the beacon that a page sends when it is left', async () => {
    const answer = await send(
      JSON.stringify({ ...record, event_type: 'page_unload', status_code: 404 }),
      'text/plain;charset=UTF-8',
    )
    expect(answer.status).toBe(202)
    expect(await rows()).toEqual([{ ...stored, event_type: 'page_unload', status_code: 404 }])
  })

  it('knows who is signed in by the session, whatever the record says', async () => {
    await user.call('POST', '/analytics/page-view', { path: '/workspace' })
    await kinora.post('/analytics/page-view', { path: '/faq', user_id: user.userId })
    expect((await rows()).map(({ path, user_id }) => [path, user_id])).toEqual([
      ['/workspace', user.userId],
      ['/faq', null],
    ])
  })

  it('does not count what is no page of the site', async () => {
    const paths = [
      '/admin/dashboard',
      '/zh/admin/dashboard',
      '/api/v1/x',
      '/docs',
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

  it('refuses what is no visit', async () => {
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

  it('survives characters that the database does not take', async () => {
    expect((await kinora.post('/analytics/page-view', { path: '/a\u0000b', user_agent: '\ud800' })).status).toBe(202)
    expect((await kinora.post('/analytics/page-view', { path: '/faq' })).status).toBe(202)
    expect((await rows()).map(({ path }) => path)).toContain('/faq')
  })

  it('refuses other calls as text', async () => {
    const answer = await fetch(`${kinora.api}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    })
    expect(answer.status).toBe(415)
  })
})
