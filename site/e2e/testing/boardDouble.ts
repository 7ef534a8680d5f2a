import type { Page, Route } from 'playwright'
import type * as z from 'zod/mini'
import {
  apiKeys,
  backup,
  codes,
  engines,
  graphs,
  hourly,
  live,
  margin,
  me,
  now,
  operatorActions,
  operatorFactors,
  overview,
  pageRanking,
  parkedEvents,
  replayParkedEvents,
  securityFailures,
  sources,
  taskHealth,
  undelivered,
  userList,
  userOverview,
  weekly,
} from '#backend/operators/contract.ts'

/** The dashboard's endpoints by path. */
const CALLS = {
  [overview.path]: overview,
  [weekly.path]: weekly,
  [hourly.path]: hourly,
  [userOverview.path]: userOverview,
  [userList.path]: userList,
  [pageRanking.path]: pageRanking,
  [live.path]: live,
  [engines.path]: engines,
  [now.path]: now,
  [sources.path]: sources,
  [taskHealth.path]: taskHealth,
  [margin.path]: margin,
  [me.path]: me,
  [backup.path]: backup,
  [graphs.path]: graphs,
  [operatorActions.path]: operatorActions,
  [parkedEvents.path]: parkedEvents,
  [replayParkedEvents.path]: replayParkedEvents,
  [securityFailures.path]: securityFailures,
  [apiKeys.path]: apiKeys,
  [codes.path]: codes,
  [undelivered.path]: undelivered,
  [operatorFactors.list.path]: operatorFactors.list,
}
type Path = keyof typeof CALLS

/** The state that the double serves; tests change it. */
export interface BoardState {
  /** Response data of each endpoint. */
  readonly answers: Map<string, (query: URLSearchParams) => object>
  /** Overrides for responses outside the contract: failures and `success: false`. */
  readonly rare: Map<string, (route: Route) => Promise<void> | void>
  /** Received calls, as path and query. */
  readonly calls: string[]
}

const DAY_MS = 86_400_000
export const NOW = Date.parse('2026-11-21T10:42:07.000Z')
const dayBack = (days: number) => new Date(NOW - days * DAY_MS).toISOString().slice(0, 10)
const minuteBack = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()

export const PATHS = [
  ['/', 18_204],
  ['/workspace', 9_127],
  ['/zh', 6_480],
  ['/faq', 3_316],
  ['/auth/register', 2_201],
  ['/auth/login', 1_874],
  ['/profile', 1_220],
  ['/zh/workspace', 988],
  ['/faq/image-to-video', 640],
  ['/terms', 212],
  ['/privacy', 190],
] as const

const STATUS = [200, 200, 304, 200, 404, 200, 200, 503, 200, 200, 200]
const USERS = 134

const daysOf = (query: URLSearchParams) => {
  const count = query.has('from') ? (Date.parse(query.get('to')!) - Date.parse(query.get('from')!)) / DAY_MS + 1 : 7
  return Array.from({ length: count }, (_, index) => {
    const pv = 32_000 + Math.round(9_000 * Math.sin(index * 1.7)) + index * 220
    return { date: dayBack(count - 1 - index), pv, uv: Math.round(pv / 4.3) }
  })
}

/** Traffic of the default week. */
export const WEEK = daysOf(new URLSearchParams())

export const OVERVIEW = {
  today: { pv: 44_452, uv: 10_318, pages: 164, page_ranking: PATHS.map(([path, count]) => ({ path, count })) },
  yesterday: { pv: 39_513, uv: 10_659 },
  growth: { pv_growth: 12.5, uv_growth: -3.2 },
  recent_visits: PATHS.map(([path], index) => ({
    timestamp: minuteBack(index / 2),
    path,
    ip: index === 6 ? '2001:db8:85a3::' : `203.0.113.${index + 11}`,
    status_code: STATUS[index]!,
  })),
  last_updated: new Date(NOW).toISOString(),
  time_zone: 'Asia/Shanghai',
}

export const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  hour,
  count: hour > 18 ? 0 : Math.round(1_200 + 1_100 * Math.sin((hour - 5) / 3)),
}))

export const PEOPLE = {
  total_users: 12_480,
  today_registrations: 96,
  yesterday_registrations: 96,
  registration_growth: 0,
  verified_users: 10_421,
  verification_rate: 83.5,
  daily_registrations: [80, 74, 91, 103, 88, 96, 96].map((count, index) => ({ date: dayBack(6 - index), count })),
}

const userOf = (index: number) => ({
  id: `u${index}`,
  email: `grace.hopper.${index}@kinora.test`,
  created_at: index === 3 ? null : minuteBack(index * 37),
  email_verified: index % 4 !== 1,
})

const pageOf = <T>(query: URLSearchParams, count: number, make: (index: number) => T) => {
  const first = (Number(query.get('page')) - 1) * 10
  return Array.from({ length: Math.max(0, Math.min(10, count - first)) }, (_, index) => make(first + index + 1))
}

export const usersOf = (query: URLSearchParams, total = USERS) => ({
  users: pageOf(query, total, userOf),
  pagination: { total, page: Number(query.get('page')), per_page: 10 },
})

const HEALTH = {
  queue: { waiting: 7, processing: 4, oldest_waiting_seconds: 412 },
  ended: { succeeded: 5_120, failed: 64 },
  failures: [
    { code: 'content_refused', count: 41 },
    { code: 'provider_failed', count: 15 },
    { code: 'render_timed_out', count: 8 },
  ],
  latest_failures: [
    {
      ...{ task_id: '019a9f0e-7c11-7d52-a1b3-0f6c9c2d4e12', engine: 'comfyui', engine_model: 'Wan 2.2' },
      ...{ code: 'engine_out_of_memory', detail: 'Node 3 (KSampler): Allocation on device', at: minuteBack(12) },
    },
  ],
  stuck: [{ task_id: '019a9f0e-7c11-7d52-a1b3-0f6c9c2d4e11', status: 'Processing', since: minuteBack(95) }],
  alerts: [{ code: 'provider_key_refused', detail: 'Code 1004.', since: minuteBack(31), times: 12 }],
}

const WAITING = {
  cases: [
    { kind: 'dispute' as const, count: 2, overdue: 1 },
    { kind: 'report' as const, count: 5, overdue: 0 },
  ],
  ...{ approvals: 1, alerts: HEALTH.alerts, parked: 12, stuck: 1, backup: null },
}

const SITES = [null, 'news.ycombinator.com', 'google.com', 'weibo.com', 'a-rather-long-host-name.of-a-partner.example']
const SOURCES = {
  sources: SITES.map((site, n) => ({ site, views: 4_210 - n * 900, visitors: 2_105 - n * 450 })),
  referrers: SITES.slice(1).map((site, n) => ({
    address: `https://${site}/a/page/that/links/here`,
    views: 900 - n * 150,
  })),
}

const MARGIN = {
  credits_sold: 96_500,
  credits_given: 4_260,
  credits_spent: 71_430,
  credits_outstanding: 208_915,
  revenue: [
    { currency: 'USD', amount: 418_650 },
    { currency: 'EUR', amount: 8_998 },
  ],
  provider_cost: 66_668,
  margin: 351_982,
  unpriced_clips: 7,
}

const actionOf = (index: number) => ({
  at: minuteBack(index * 300),
  action: ['signed_in', 'exported', 'sign_in_refused', 'credits_adjusted'][index % 4]!,
  detail: index % 4 === 1 ? 'users.csv' : null,
  operator: index % 4 === 3 ? null : 'olga',
  ip: '203.0.113.7',
})

const failureOf = (index: number) => ({
  id: `${100 - index}`,
  at: minuteBack(index * 13),
  event: ['sign_in_failed', 'throttled'][index % 2]!,
  email: index % 3 === 0 ? null : 'grace.hopper@kinora.test',
  browser: index % 4 === 0 ? null : 'Firefox',
  system: 'Linux',
  network: '203.0.113.0/24',
})

const keyOf = (index: number) => ({
  id: `k${index}`,
  name: ['Open WebUI', 'Landing page batch', 'n8n'][index % 3]!,
  email: `grace.hopper.${index}@kinora.test`,
  scopes: index % 2 === 0 ? ['videos:read' as const] : ['videos:write' as const, 'videos:read' as const],
  hint: ['263T', 'x9Qz', 'A0bC'][index % 3]!,
  credits_per_day: index % 3 === 1 ? 300 : null,
  credits_per_month: index % 2 === 1 ? 6_000 : null,
  spent_today: index % 3 === 1 ? 270 : 30,
  spent_this_month: 1_250,
  models: null,
  networks: null,
  created_at: minuteBack(index * 900),
  expires_at: index % 4 === 0 ? null : minuteBack(-index * 9_000),
  last_used_at: index % 3 === 2 ? null : minuteBack(index * 7),
  last_network: '203.0.113.0/24',
  team: null,
  client: null,
})

const codeOf = (index: number) => ({
  id: `c${index}`,
  label: index % 3 === 0 ? 'A label as long as a label may be, for a batch of the fair' : 'Spring fair',
  hint: 'V3ZD',
  credits: 500,
  uses: index % 2 === 0 ? 1 : 10_000,
  used: index % 2,
  audience: index % 2 === 0 ? ('all' as const) : ('new' as const),
  issued_at: minuteBack(index * 900),
  expires_at: index % 4 === 0 ? null : minuteBack(-index * 9_000),
  voided_at: index % 5 === 4 ? minuteBack(index) : null,
  batch_size: index % 2 === 0 ? 1_000 : 1,
})

const CHANNELS = [
  ['mail', 'Your password was changed', null, '550 5.1.1 user0@kinora.test: no such mailbox here'],
  ['webhook', 'subscription.renewed', null, 'connection'],
  ['push', 'video', null, 'internal'],
] as const
const undeliveredOf = (index: number) => {
  const [channel, about, status, error] = CHANNELS[index % 3]!
  const isWaiting = index % 2 === 1
  return {
    ...{ id: `message-${index}`, channel, about, email: `user${index}@kinora.test`, status, error },
    ...{ state: isWaiting ? ('waiting' as const) : ('failed' as const), attempts: index + 1 },
    ...{ created_at: minuteBack(index * 70), due_at: isWaiting ? minuteBack(-30) : null, has_body: index % 5 !== 4 },
  }
}

const parkedOf = (index: number) => ({
  projection: 'creditBalances',
  stream: 'creditAccount-0190a8f0-0000-7000-8000-000000000001',
  type: 'CreditsHeld',
  error: index === 1 ? 'TypeError: Cannot read properties of undefined' : null,
  parked_at: minuteBack(90 - index),
})

/** Replaces the dashboard's API with a double that serves the data of a busy site in Shanghai. */
export async function openBoardDouble(page: Page, language: 'en' | 'zh'): Promise<BoardState> {
  const state: BoardState = {
    answers: new Map<string, (query: URLSearchParams) => object>([
      [overview.path, () => ({ data: OVERVIEW })],
      [weekly.path, (query) => weekOf(daysOf(query))],
      [hourly.path, () => ({ data: { hourly_distribution: HOURS } })],
      [userOverview.path, () => ({ data: PEOPLE })],
      [userList.path, (query) => usersOf(query)],
      [
        pageRanking.path,
        () => ({ data: { page_ranking: PATHS.map(([path, count]) => ({ path, count: count * 6 })) } }),
      ],
      [
        live.path,
        () => ({
          data: { visitors: 38, pages: PATHS.slice(0, 5).map(([path], index) => ({ path, count: 19 - index * 4 })) },
        }),
      ],
      [me.path, () => ({ id: '00000000-0000-0000-0000-000000000000', name: 'olga', role: 'owner', alone: false })],
      [taskHealth.path, () => ({ data: HEALTH })],
      [now.path, () => ({ data: WAITING })],
      [
        engines.path,
        () => ({ data: { demo: false, engines: [], hosted: [], models: [], credit_cents: 1, first_sign_in: false } }),
      ],
      [sources.path, () => ({ data: SOURCES })],
      [margin.path, () => ({ data: MARGIN })],
      [operatorActions.path, (query) => ({ actions: pageOf(query, 23, actionOf), total: 23 })],
      [parkedEvents.path, (query) => ({ events: pageOf(query, 12, parkedOf), total: 12 })],
      [undelivered.path, (query) => ({ messages: pageOf(query, 12, undeliveredOf), total: 12 })],
      [codes.path, (query) => ({ codes: pageOf(query, 12, codeOf), total: 12 })],
      [apiKeys.path, (query) => ({ keys: pageOf(query, 12, keyOf), total: 12 })],
      [operatorFactors.list.path, () => ({ passkeys: [], totp: true, recovery_codes: 8, missing: false })],
      [securityFailures.path, (query) => ({ failures: pageOf(query, 31, failureOf), total: 31 })],
      [
        backup.path,
        () => ({
          data: {
            configured: true,
            has_phrase: true,
            proven_at: minuteBack(931),
            copy: { taken_at: minuteBack(933), files: 1_284, bytes: 3_221_225_472 },
            failure: null,
            overdue: false,
          },
        }),
      ],
      [graphs.path, () => ({ data: { available: false, ok: true, detail: '', graphs: [] } })],
      [replayParkedEvents.path, () => ({ replayed: 11, failed: 1, remaining: 1 })],
    ]),
    rare: new Map(),
    calls: [],
  }
  await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
  await page.route('**/api/v1/analytics/**', (route) => answer(route, state))
  return state
}

const weekOf = (daily_data: readonly { date: string; pv: number; uv: number }[]) => ({
  data: { daily_data, total_pv: daily_data.reduce((sum, { pv }) => sum + pv, 0) },
})

async function answer(route: Route, state: BoardState): Promise<void> {
  const { pathname, searchParams, search } = new URL(route.request().url())
  const path = pathname.replace('/api/v1', '')
  state.calls.push(path + search)
  const rare = state.rare.get(path)
  if (rare) return rare(route)
  const body = state.answers.get(path)
  if (!body) return route.fulfill({ status: 404, json: { code: 'not_found' } })
  // Validate, so that no test relies on data outside the contract.
  const schema = CALLS[path as Path]!.answer as z.ZodMiniType
  await route.fulfill({ json: schema.parse({ success: true, ...body(searchParams) }) as object })
}
