import type { Case, Step } from './case.ts'

const LISTS = ['/credits/history', '/videos/tasks', '/videos/my-works', '/subscriptions/invoices', '/users/security']
const INVALID = { status: 422, code: 'invalid_input' } as const
const lists = (query: string, answered: { status: number; code?: string } = INVALID): readonly Step[] =>
  LISTS.map((path) => ({ send: `GET /api/v1${path}?${query}`, as: 'user', ...answered }))
const operator = (path: string, answered: { status: number; code?: string } = INVALID): Step => ({
  send: `GET /api/v1/analytics${path}`,
  as: 'operator',
  ...answered,
})
/** Asks for the visits of days, and shows each day once. */
const days = (...dates: readonly string[]): Step => ({
  send: `GET /api/v1/analytics/weekly?from=${dates[0]}&to=${dates.at(-1)}`,
  as: 'operator',
  status: 200,
  shows: { data: { daily_data: dates.map((date) => ({ date })) } },
})
const NOT_FOUND = { status: 404, code: 'not_found' } as const
const tasks = (id: string): readonly Step[] =>
  ['GET', 'DELETE'].map((method) => ({ send: `${method} /api/v1/videos/tasks/${id}`, as: 'user', ...NOT_FOUND }))

/** Parameters of lists and reports, and ids. */
export const queries: readonly Case[] = [
  {
    id: 'a page before the first',
    report: 'https://github.com/pallets-eco/flask-sqlalchemy/issues/336',
    steps: lists('page=-1'),
  },
  { id: 'page zero', report: 'https://github.com/fecgov/openFEC/issues/4486', steps: lists('page=0') },
  {
    id: 'a negative length of a page, and a text',
    report: 'https://github.com/outline/outline/pull/953',
    steps: [...lists('per_page=-20'), ...lists('per_page=text20text'), ...lists('per_page=101')],
  },
  {
    id: 'a page that is no number',
    report: 'https://github.com/icco/robot.villas/pull/120',
    steps: [...lists('page=abc'), ...lists('page=NaN'), ...lists('page=1e999'), ...lists('page=1.5')],
  },
  {
    id: 'a page beyond all numbers of the database',
    report: 'https://github.com/InsForge/InsForge/issues/919',
    steps: [
      ...lists('page=99999999999999999999'),
      ...lists('page=9007199254740991', { status: 200 }),
      operator('/users/list?page=9007199254740991', { status: 200 }),
      operator('/actions?page=-1'),
    ],
  },
  {
    id: 'an id that is none',
    report: 'https://github.com/paperclipai/paperclip/issues/9962',
    steps: [...tasks('not-a-uuid'), ...tasks('1'), ...tasks("'%20or%201=1")],
  },
  {
    id: 'an id that lacks its last digit',
    report: 'https://github.com/lee-dohm/atom-style-tweaks/issues/90',
    steps: tasks('0190a000-0000-7000-8000-00000000000'),
  },
  {
    id: 'an id in other spellings',
    report: 'https://github.com/hasgeek/boxoffice/pull/523',
    steps: [
      ...tasks('0190a0000000700080000000000000ff'),
      ...tasks('%7B0190a000-0000-7000-8000-0000000000ff%7D'),
      ...tasks('urn:uuid:0190a000-0000-7000-8000-0000000000ff'),
      ...tasks('0190A000-0000-7000-8000-0000000000FF'),
    ],
  },
  {
    id: 'a day that is none',
    report: 'https://github.com/EFForg/action-center-platform/issues/800',
    steps: ['0000-00-00', '2026-02-30', 'Invalid%20Date', '2026-13-01', '%00', '9999999999999'].flatMap((day) => [
      operator(`/pages?from=${day}&to=2026-03-01`),
      operator(`/tasks?from=2026-03-01&to=${day}`),
      { send: `GET /api/v1/videos/my-works?from=${day}`, as: 'user', ...INVALID } as const,
    ]),
  },
  {
    id: 'a period that ends before it begins',
    report: 'https://github.com/langwatch/langwatch/issues/1388',
    steps: ['pages', 'weekly', 'tasks', 'users/overview', 'margin'].map((report) =>
      operator(`/${report}?from=2026-03-02&to=2026-03-01`),
    ),
  },
  {
    id: 'a day without a midnight, and one with two',
    report: 'https://github.com/woocommerce/woocommerce-admin/pull/7763',
    steps: [
      days('2026-03-07', '2026-03-08', '2026-03-09'),
      days('2026-10-31', '2026-11-01', '2026-11-02'),
      days('2026-03-08'),
    ],
  },
  {
    id: 'an hour that a day lacks',
    report: 'https://github.com/umami-software/umami/issues/1618',
    steps: [
      operator('/hourly', { status: 200 }),
      operator('/tables/hours.csv?from=2026-03-08&to=2026-03-08', { status: 200 }),
      operator('/tasks?from=2026-03-08&to=2026-03-08', { status: 200 }),
    ],
  },
  {
    id: 'an instant in a time zone that is none',
    report: 'https://github.com/JhaSourav07/commitpulse/issues/3690',
    steps: ['2026-03-29T02:30:00%2B99:00', '2026-03-29T02:30:00Europe/Berlin', '2026-03-29T25:00:00Z'].map((at) => ({
      send: `GET /api/v1/videos/my-works?from=${at}`,
      as: 'user',
      ...INVALID,
    })),
  },
  {
    id: 'a table that does not exist',
    report: 'https://github.com/directus/directus/issues/15809',
    steps: ['users;drop', '__proto__', 'constructor', '%00'].map((table) => operator(`/tables/${table}`, NOT_FOUND)),
  },
  {
    id: 'the address of a visitor that fills two columns',
    report: 'https://github.com/umami-software/umami/issues/3919',
    steps: [
      {
        send: 'POST /api/v1/analytics/page-view',
        json: {
          path: `/?utm_source=${'x'.repeat(1_900)}`,
          referrer: `https://m.test/${'%E7'.repeat(600)}`,
          event_type: 'page_view',
        },
        status: 202,
      },
    ],
  },
  {
    id: 'a referrer of four thousand characters',
    report: 'https://github.com/umami-software/umami/issues/2260',
    send: 'POST /api/v1/analytics/page-view',
    headers: { 'content-type': 'text/plain' },
    // The longest that browsers send.
    body: JSON.stringify({ path: '/', referrer: `https://m.test/?${'a=%7B&'.repeat(680)}`.slice(0, 4_096) }),
    status: 202,
  },
]
