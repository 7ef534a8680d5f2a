import type { Page, Route } from 'playwright'
import type { ApiKey } from '#backend/apiKeys/contract.ts'
import type { CreditEntry } from '#backend/credits/contract.ts'
import type { CurrentSubscription, Invoice, Stats } from '#backend/subscriptions/contract.ts'
import type { Team, TeamMember } from '#backend/teams/contract.ts'
import { openDouble, problem, taskOf, type WorkspaceState } from './workspaceDouble.ts'

/** The plan, payments and credits that the double serves; tests change them. */
export interface MoneyState {
  stats: Stats
  current: CurrentSubscription | null
  /** Whether a confirmed subscription is still being processed. */
  pending: boolean
  /** What became of the subscription that is confirmed, if not implied by `pending`. */
  outcome?: 'unapproved' | 'ended'
  invoices: Invoice[]
  entries: CreditEntry[]
  keys: ApiKey[]
  teams: { teams: Team[]; can_create: boolean }
  readonly server: WorkspaceState
  /** Request bodies by method and path; null without a body. */
  readonly sent: Map<string, unknown>
}

/** End of the paid period. */
const PERIOD_END = new Date(Date.now() + 18 * 86_400_000).toISOString()

export const PRO: Stats = {
  current_tier: 'pro',
  current_status: 'active',
  remaining_credits: 2_940,
  total_credits: 4_500,
  used_credits: 1_560,
  next_reset_date: PERIOD_END,
}

export const PRO_MONTHLY: CurrentSubscription = {
  tier: 'pro',
  status: 'active',
  billing_cycle: 'monthly',
  current_period_start: '2026-11-15T09:30:00.000Z',
  current_period_end: PERIOD_END,
  cancel_at_period_end: false,
  can_reactivate: false,
  price_monthly: 4499,
  currency: 'USD',
  grace_until: null,
  next_tier: null,
  plan_credits: 2_880,
  payment_provider: 'paypal',
  refundable: true,
}

export const invoiceOf = (id: string, over: Partial<Invoice> = {}): Invoice => ({
  id,
  number: `K-${id}`,
  payment: `SALE-${id}`,
  pdf: `/api/v1/subscriptions/invoices/${id}.pdf`,
  corrections: [],
  tier: 'pro',
  pack: null,
  amount: 4499,
  refunded: 0,
  currency: 'USD',
  credits: 4500,
  status: 'paid',
  payment_method: 'paypal',
  paid_at: '2026-11-15T09:30:00.000Z',
  period_start: '2026-11-15T09:30:00.000Z',
  period_end: PERIOD_END,
  withdrawable_until: null,
  withdrawn_at: null,
  ...over,
})

export const entryOf = (id: string, over: Partial<CreditEntry> = {}): CreditEntry => ({
  id,
  kind: 'spend',
  amount: -30,
  balance_after: 2_940,
  reason: 'video',
  created_at: '2026-11-20T10:00:00.000Z',
  ...over,
})

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

export const keyOf = (id: string, over: Partial<ApiKey> = {}): ApiKey => ({
  ...{ id, name: 'Open WebUI', hint: `ab${id}`, scopes: ['videos:write', 'videos:read'] },
  ...{ credits_per_day: null, credits_per_month: null, spent_today: 0, spent_this_month: 0 },
  ...{ models: null, networks: null, created_at: inDays(-20), expires_at: inDays(70) },
  ...{ last_used_at: null, last_network: null, team: null, client: null },
  ...over,
})

/** Keys in every state that the list shows. */
export const FIVE_KEYS = [
  keyOf('k1', {
    ...{ credits_per_day: 300, credits_per_month: 4_500, spent_today: 90, spent_this_month: 1_560 },
    ...{ last_used_at: inDays(-0.1), last_network: '203.0.113.0/24' },
  }),
  keyOf('k2', { name: 'n8n', expires_at: inDays(3), credits_per_day: 100, spent_today: 90, spent_this_month: 1_230 }),
  keyOf('k3', {
    ...{ name: 'Nightly trailers for the cinema around the corner', expires_at: null },
    ...{ scopes: ['videos:write', 'videos:read', 'account:read', 'webhooks:write'] },
    ...{ models: ['MiniMax-Hailuo-02', 'T2V-01-Director'], networks: ['203.0.113.0/24', '2001:db8:4a00::/48'] },
    ...{ credits_per_month: 600, spent_today: 60, spent_this_month: 600 },
  }),
  keyOf('k4', { name: 'Figures', scopes: ['account:read'], last_used_at: inDays(-9), last_network: '2001:db8::/48' }),
  keyOf('k5', { name: 'M'.repeat(60) }),
] as const

const memberOf = (id: string, over: Partial<TeamMember> = {}): TeamMember => ({
  ...{ id, name: `Member ${id}`, email: `${id}@kinora.test`, role: 'member' },
  ...{ joined_at: inDays(-9), used: 0, limit: null },
  ...over,
})

/** A team as its owner sees it, with members in every state. */
export const OWN_TEAM: Team = {
  ...{ id: '7c3f5d52-9e54-4a53-8f10-0c8d1a1b0001', name: 'Lighthouse Studio', role: 'owner' },
  ...{ owner: { id: 'u', name: 'Ada' }, created_at: inDays(-30), seats: 5, seats_used: 5 },
  ...{ credits_remaining: 2_940, used: 1_200, limit: null },
  members: [
    memberOf('u', { name: 'Ada', email: 'ada@kinora.test', role: 'owner', used: 1_200 }),
    memberOf('m1', { name: 'Grace Hopper', used: 90, limit: 300 }),
    memberOf('m2', { name: 'M'.repeat(60), used: 270, limit: 300 }),
    memberOf('m3', { name: '阿达', used: 300, limit: 300 }),
  ],
  invitations: [
    {
      ...{ id: 'i1', email: 'edsger@kinora.test', credits_per_month: 600 },
      ...{ created_at: inDays(-1), expires_at: inDays(6) },
    },
  ],
}

/** A team as a member sees it. */
export const JOINED_TEAM: Team = {
  ...OWN_TEAM,
  ...{ id: '7c3f5d52-9e54-4a53-8f10-0c8d1a1b0002', name: 'Harbour Films', role: 'member' },
  ...{ owner: { id: 'o', name: 'Grace Hopper' }, credits_remaining: 14_200, used: 270, limit: 300, invitations: [] },
  members: [
    memberOf('o', { name: 'Grace Hopper', email: null, role: 'owner', used: null }),
    memberOf('u', { name: 'Ada', used: 270, limit: 300 }),
  ],
}

const FIGURES = {
  total_videos: 52,
  total_duration: 4_230,
  storage_used: 1_288_490_188,
  credits_remaining: 2_940,
  credits_used: 1_560,
  usage_this_month: 1_200,
}

const DEVICE = { id: 's', browser: 'Firefox', system: 'Linux', current: true, last_used_at: '2026-11-21T09:00:00.000Z' }

const RECORDS = Array.from({ length: 12 }, (_, n) => ({
  ...{ id: `r${n}`, event: 'signed_in', browser: 'Firefox', system: 'Linux', network: '192.0.2.0/24' },
  at: '2026-11-21T09:00:00.000Z',
}))

const pageOf = <T>(route: Route, all: readonly T[]) => {
  const { searchParams } = new URL(route.request().url())
  const size = Number(searchParams.get('per_page'))
  const first = (Number(searchParams.get('page')) - 1) * size
  return all.slice(first, first + size)
}

/** Replaces the API of the profile and payment pages with a double that has a Pro member and 20 videos. */
export async function openMoneyDouble(page: Page, url: string, language: 'en' | 'zh'): Promise<MoneyState> {
  const server = await openDouble(page, url, language)
  server.tasks = Array.from({ length: 20 }, (_, index) => taskOf(`w${index + 1}`))
  const state: MoneyState = {
    stats: PRO,
    current: PRO_MONTHLY,
    pending: false,
    invoices: [invoiceOf('i1')],
    entries: [entryOf('e1')],
    keys: [],
    teams: { teams: [], can_create: false },
    server,
    sent: new Map(),
  }
  const answers: Readonly<Record<string, (route: Route) => object | null>> = {
    'GET /subscriptions/stats': () => state.stats,
    'GET /subscriptions/current': () => state.current,
    'GET /subscriptions/invoices': (route) => ({
      invoices: pageOf(route, state.invoices),
      total: state.invoices.length,
    }),
    'GET /subscriptions/billing-details': () => ({ name: '', address: '', country: '', vat_id: '' }),
    'GET /credits/history': (route) => ({ entries: pageOf(route, state.entries), total: state.entries.length }),
    'GET /keys': () => ({ keys: state.keys }),
    'GET /teams': () => state.teams,
    'GET /webhook_endpoints': () => ({ object: 'list', data: [], first_id: null, last_id: null, has_more: false }),
    'GET /videos/stats': () => FIGURES,
    'GET /users/factors': () => ({ passkeys: [], totp: false, recovery_codes: 0, missing: false }),
    'GET /users/security': (route) => ({ records: pageOf(route, RECORDS), total: RECORDS.length }),
    'GET /users/notices': () => ({ push_key: '', push: false, mail: false }),
    'GET /users/password': () => ({ set: true }),
    'GET /users/sessions': () => ({ sessions: [DEVICE] }),
    'POST /subscriptions/cancel': (route) => ({
      success: true,
      refund_proposed: route.request().postDataJSON()?.cancel_at_period_end === false,
    }),
    'POST /subscriptions/withdraw': () => ({ used_credits: 1_500, refund: 2_999, currency: 'USD' }),
    'PUT /subscriptions/billing-details': (route) => route.request().postDataJSON(),
    'POST /subscriptions/reactivate': () => ({ success: true }),
    'POST /subscriptions/confirm': () => ({
      ...{ ...state.stats, pending: state.pending },
      outcome: state.outcome ?? (state.pending ? 'pending' : 'started'),
    }),
    'POST /subscriptions/upgrade': () => ({ data: { approval_url: `${url}/privacy`, subscription_id: 'I-1' } }),
  }
  for (const [name, body] of Object.entries(answers))
    server.rare.set(name, (route) => {
      state.sent.set(name, route.request().postDataJSON())
      const found = body(route)
      return found ? route.fulfill({ json: found }) : problem(404, 'not_found')(route)
    })
  return state
}
