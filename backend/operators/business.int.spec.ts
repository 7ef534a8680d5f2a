import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble, type ProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import { createOperatorAlerts } from './alerts/operatorAlerts.ts'

const DAY_MS = 86_400_000
/** Half a minute before midnight in Berlin, on the eve of the autumn clock change. */
const START = Date.parse('2026-10-24T21:59:30.000Z')

let kinora: TestKinora
let provider: ProviderDouble
let cookie = ''
beforeAll(async () => {
  const env = { OPERATOR_PASSWORD: 'a password', OPERATOR_TIME_ZONE: 'Europe/Berlin' }
  provider = await createProviderDouble()
  kinora = await startTestKinora({ provider, env, now: () => START })
  const answer = await kinora.post('/analytics/login', { username: 'operator', password: 'a password' })
  cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(() => kinora?.close())

const get = (path: string) => fetch(`${kinora.api}/analytics${path}`, { headers: { cookie } })
const data = async <Data>(path: string) => ((await (await get(path)).json()) as { data: Data }).data
const visit = (session_id: string) => kinora.post('/analytics/page-view', { path: '/faq', session_id })
const rows = async (sql: string) => (await kinora.context.pool.query(sql)).rows
const advance = async (ms: number) => {
  const answer = await fetch(`${kinora.url}/dev/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance_ms: ms }),
  })
  expect(answer.status).toBe(200)
}

interface Overview {
  today: { pv: number; uv: number }
  growth: object
  recent_visits: { ip: string }[]
}
interface Hourly {
  hourly_distribution: { hour: number; count: number }[]
}

describe('business figures', () => {
  let user: TestUser
  const generate = async () => {
    const answer = await user.call('POST', '/videos/generate', GENERATION)
    return ((await answer.json()) as { task: { id: string } }).task.id
  }
  const health = () =>
    data<{
      queue: object
      ended: object
      failures: object[]
      latest_failures: object[]
      stuck: object[]
      alerts: { code: string }[]
    }>('/tasks')
  const calm = { waiting: 0, processing: 0, oldest_waiting_seconds: null }

  it('show ended tasks, failures by reason, stuck tasks and alerts', async () => {
    user = await kinora.newUser()
    expect(await health()).toEqual({
      queue: calm,
      ended: { succeeded: 0, failed: 0 },
      failures: [],
      latest_failures: [],
      stuck: [],
      alerts: [],
    })
    const done = await generate()
    await expect.poll(async () => (await health()).ended).toEqual({ succeeded: 1, failed: 0 })
    await user.call('DELETE', `/videos/tasks/${done}`)
    provider.answer = () => ({ kind: 'failed', code: 'content_refused', detail: 'no' })
    await generate()
    await expect.poll(async () => (await health()).ended).toEqual({ succeeded: 1, failed: 1 })
    expect((await health()).failures).toEqual([{ code: 'content_refused', count: 1 }])
    expect((await health()).latest_failures).toMatchObject([{ engine: 'demo', code: 'content_refused', detail: 'no' }])
    provider.answer = () => ({ kind: 'rendering', percent: 1 })
    const id = await generate()
    await expect.poll(async () => (await health()).queue).toEqual({ ...calm, processing: 1 })
    await kinora.context.pool.query(
      `update video_task set started_at = started_at - interval '3 hours' where id = $1`,
      [id],
    )
    await createOperatorAlerts(kinora.context.pool, { error: () => {}, info: () => {} }).raise(
      'provider_key',
      'The key was refused.',
    )
    expect(await health()).toMatchObject({
      stuck: [{ task_id: id, status: 'Processing', since: new Date(START - 3 * 3_600_000).toISOString() }],
      alerts: [{ code: 'provider_key', detail: 'The key was refused.', times: 1 }],
    })
    provider.answer = () => ({ kind: 'finished' })
    await expect.poll(async () => (await health()).ended).toEqual({ succeeded: 2, failed: 1 })
    const rename = (from: string, to: string) =>
      kinora.context.pool.query('update task_outcome set error_code = $2 where error_code = $1', [from, to])
    await rename('content_refused', 'cancelled')
    expect(await health()).toMatchObject({
      ended: { succeeded: 2, failed: 0 },
      failures: [{ code: 'cancelled', count: 1 }],
    })
    await rename('cancelled', 'content_refused')
  })

  it('name refused files of the operator until they are mended', async () => {
    const files = ['models/mine.json', 'providers/mine.json'].map((name) => path.join(kinora.dataDir, name))
    for (const file of files) {
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, '{"id":"mine"}')
    }
    const refused = async () =>
      (await health()).alerts.map(({ code }) => code).filter((code) => code.startsWith('file_'))
    await expect.poll(refused).toEqual(['file_refused providers/mine.json', 'file_refused models/mine.json'])
    expect((await health()).alerts).toContainEqual(expect.objectContaining({ detail: expect.stringMatching(/names/) }))
    for (const file of files) rmSync(file)
    await expect.poll(refused).toEqual([])
  })

  it('show credits, revenue, provider cost and margin', async () => {
    await kinora.context.pool.query(
      `insert into invoice (id, user_id, sale_id, agreement_id, tier, amount_cents, refunded_cents, currency, credits,
         period_start, period_end)
       select gen_random_uuid(), $1, 's' || n, 'a', 'standard', 1299, n * 100, currency, 1000, $2, $2
       from (values (0, 'USD'), (2, 'USD'), (0, 'EUR')) sale (n, currency)`,
      [user.userId, new Date(START)],
    )
    await expect
      .poll(() => data('/margin'))
      .toEqual({
        credits_sold: 0,
        credits_given: 60,
        credits_spent: 60,
        credits_outstanding: 0,
        revenue: [
          { currency: 'EUR', amount: 1299 },
          { currency: 'USD', amount: 2398 },
        ],
        provider_cost: 56,
        // Euros and dollars make no sum.
        margin: null,
        unpriced_clips: 0,
      })
    await kinora.context.pool.query("delete from invoice where currency = 'EUR'")
    expect(await data('/margin')).toMatchObject({ revenue: [{ currency: 'USD', amount: 2398 }], margin: 2342 })
    // The previous day has no figures.
    expect(await data('/margin?from=2026-10-23&to=2026-10-23')).toMatchObject({
      credits_given: 0,
      revenue: [],
      margin: 0,
    })
  })

  it('show revenue, cost and margin by plan, till, model and engine, and what recurs', async () => {
    const { pool } = kinora.context
    await pool.query(
      `insert into invoice (id, user_id, sale_id, agreement_id, tier, amount_cents, refunded_cents, currency, credits,
         period_start, period_end)
       select gen_random_uuid(), gen_random_uuid(), sale, 'a', 'pro', cents, 0, currency, 3500, since::timestamptz, until::timestamptz
       from (values ('left', 4499, 'USD', '2026-09-20', '2026-10-20'), ('stays', 4499, 'USD', '2026-10-01', '2026-11-01'),
         ('stripe:stays', 4099, 'EUR', '2026-10-02', '2026-11-02')) sale (sale, cents, currency, since, until)`,
    )
    const dollars = { currency: 'USD', sales: 2, gross: 2598, refunds: 200 }
    expect(await data('/money')).toEqual({
      currencies: [{ ...dollars, fees: null, unknown_fees: 2, net: null }],
      // 2,000 credits cost 56 ÷ 60 cents each.
      plans: [
        { item: 'standard', pack: false, ...dollars, credits: 2000, margin: Math.round(2398 - (2000 * 56) / 60) },
      ],
      tills: [{ provider: 'sandbox', ...dollars, fees: null, unknown_fees: 2 }],
      models: [
        { model: GENERATION.model, clips: 2, credits: 60, cost: 56, margin: Math.round(60 * (2398 / 2000) - 56) },
      ],
      engines: [{ engine: 'demo', clips: 2, cost: 56 }],
      recurring: {
        mrr: [
          { currency: 'EUR', amount: 4099 },
          { currency: 'USD', amount: 4499 },
        ],
        ...{ subscribers: 2, before: 3, churned: 1, churn: 33.3 },
      },
      zeros: [],
    })
    expect(await data('/money?from=2026-10-02&to=2026-10-02')).toMatchObject({
      currencies: [{ currency: 'EUR', gross: 4099 }],
      plans: [{ item: 'pro', margin: null }],
      tills: [{ provider: 'stripe', currency: 'EUR' }],
      models: [],
    })
    await pool.query("delete from invoice where tier = 'pro'")
    // What is kept of refunded sales counts, and unknown fees never count as none.
    const kept = (sale: string, cents: number) =>
      pool.query('update invoice set fee_cents = $2 where sale_id = $1', [sale, cents])
    await kept('s0', 94)
    const some = { fees: 94, unknown_fees: 1 }
    expect(await data('/money')).toMatchObject({ currencies: [{ ...some, net: null }], tills: [some] })
    await kept('s2', 90)
    const all = { fees: 184, unknown_fees: 0 }
    expect(await data('/money')).toMatchObject({ currencies: [{ ...all, net: 2598 - 200 - 184 }], tills: [all] })
    const csv = async (name: string) => (await (await get(`/tables/${name}`)).text()).split('\r\n')
    expect((await csv('sales.csv')).slice(0, 2)).toEqual([
      'sold_at,sale,agreement,user,plan,pack,currency,amount,refunded,fee,credits',
      expect.stringMatching(/^2026-10-24T\d\d:\d\d:\d\dZ,s0,a,[-0-9a-f]{36},standard,,USD,12\.99,0\.00,0\.94,1000$/),
    ])
    expect((await csv('costs.csv')).slice(1)).toContainEqual(expect.stringMatching(/demo,768P,6,,30,0\.28/))
    expect(await csv('zeros.csv')).toEqual(['day,zero,record,signature,public_key', ''])
  })

  it('can be exported as CSV files, and each export is recorded', async () => {
    await kinora.post('/analytics/page-view', { path: '/faq', referrer: '=cmd|x', user_agent: 'a "quoted", one' })
    await kinora.visitsCounted()
    const file = async (name: string) => {
      const answer = await get(`/tables/${name}`)
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="kinora-${name}"`)
      return (await answer.text()).split('\r\n')
    }
    expect((await file('days.csv')).slice(-3)).toEqual(['2026-10-23,0,0,0', '2026-10-24,1,1,1', ''])
    expect(await file('hours.csv')).toHaveLength(1 + 7 * 24 + 1)
    expect(await file('pages.csv')).toEqual(['path,page_views', '/faq,1', ''])
    const [columns, row, end] = await file('visits.csv')
    expect([columns, end]).toEqual(['timestamp,event_type,path,status_code,bot,visitor,referrer,user_agent,ip', ''])
    expect(row).toMatch(
      /^2026-10-24T21:59:30\.000Z,page_view,\/faq,200,false,[0-9a-f-]{36},'=cmd\|x,"a ""quoted"", one",127\.0\.0\.1$/,
    )
    expect((await file('users.csv'))[1]).toBe(`${user.userId},${user.email},2026-10-24T21:59:30.000Z,true`)
    expect(await file('failures.csv')).toEqual(['code,count', 'content_refused,1', ''])
    expect((await file('actions.csv')).slice(1, 3)).toEqual([
      expect.stringMatching(/Z,exported,actions 2026-10-18 2026-10-24,/),
      expect.stringMatching(/Z,exported,failures 2026-10-18 2026-10-24,/),
    ])
    for (const name of ['days', 'secrets.csv', 'constructor.csv'])
      expect((await get(`/tables/${name}`)).status).toBe(404)
    await kinora.context.pool.query('truncate page_view, traffic_day, traffic_hour, traffic_page, day_visitor')
  })
})

describe('a calendar that is moved', () => {
  it('counts each visit once over midnight and through a day of 25 hours', async () => {
    await visit('before')
    await advance(60_000)
    for (let half = 0; half < 50; half++) {
      expect((await visit('during')).status).toBe(202)
      await advance(DAY_MS / 48)
    }
    await kinora.visitsCounted()
    const weekly = await data<{ daily_data: object[] }>('/weekly')
    expect(weekly.daily_data.slice(-3)).toEqual([
      { date: '2026-10-24', pv: 1, uv: 1 },
      { date: '2026-10-25', pv: 50, uv: 1 },
      { date: '2026-10-26', pv: 0, uv: 0 },
    ])
    await visit('after')
    await kinora.visitsCounted()
    expect(await data<Overview>('/overview')).toMatchObject({
      today: { pv: 1, uv: 1 },
      yesterday: { pv: 50, uv: 1 },
      growth: { pv_growth: -98, uv_growth: 0 },
    })
    const hours = await rows(`select hour, pv from traffic_hour where day = '2026-10-25' order by hour`)
    // The repeated hour holds both passes.
    expect(hours).toEqual(Array.from({ length: 24 }, (_, hour) => ({ hour, pv: hour === 2 ? 4 : 2 })))
    const { hourly_distribution } = await data<Hourly>('/hourly')
    expect(hourly_distribution.map(({ count }) => count)).toEqual([1, ...Array<number>(23).fill(0)])
  })

  it('shortens addresses after a day and deletes everything after 90', async () => {
    const addresses = `select host(ip) as ip, masklen(ip) from page_view order by at`
    await advance(DAY_MS - 20 * 60_000)
    // Shown shortened even before the sweep.
    expect((await data<Overview>('/overview')).recent_visits.map(({ ip }) => ip)).toEqual([
      '127.0.0.1',
      ...Array<string>(9).fill('127.0.0.0/24'),
    ])
    const cut = Array<object>(51).fill({ ip: '127.0.0.0', masklen: 24 })
    await expect.poll(() => rows(addresses)).toEqual([...cut, { ip: '127.0.0.1', masklen: 32 }])
    await advance(89 * DAY_MS)
    await expect.poll(() => rows('select day::text from traffic_day')).toHaveLength(2)
    await advance(3 * DAY_MS)
    await expect.poll(() => rows('select 1 from page_view')).toEqual([])
    for (const table of ['traffic_day', 'traffic_hour', 'traffic_page', 'day_visitor', 'visitor_salt'])
      await expect.poll(() => rows(`select 1 from ${table}`)).toEqual([])
    const oldest = `select min(relname)::text as name from pg_class where relname ~ '^page_view_[0-9]{8}$'`
    await expect.poll(() => rows(oldest)).toEqual([{ name: 'page_view_20261028' }])
  })
})
