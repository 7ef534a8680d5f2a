import type { Case, Step } from './case.ts'

const TYPE = { 'content-type': 'application/json' }
const login = (body: Buffer | string, type = 'application/json') =>
  ({ send: 'POST /api/v1/auth/login', headers: { 'content-type': type }, body }) as const
const WRONG = { status: 401, code: 'invalid_credentials' } as const
const INVALID = { status: 422, code: 'invalid_input' } as const
const LOGIN = '{"email":"{email}","password":"wrong horse"}'
const ORDER = {
  task_type: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  prompt: 'A cat on a hill',
  duration: 6,
  resolution: '768P',
}
const order = (change: object): Step =>
  ({ send: 'POST /api/v1/videos/generate', as: 'user', json: { ...ORDER, ...change }, ...INVALID }) as const
/** Orders with a prompt in which the JSON has escapes, and shows the prompt that is stored. */
const prompted = (escapes: string, prompt: string): readonly Step[] => [
  {
    send: 'POST /api/v1/videos/generate',
    as: 'user',
    headers: TYPE,
    body: JSON.stringify(ORDER).replace('A cat', escapes),
    status: 202,
    shows: { task: { prompt: `${prompt} on a hill` } },
    take: { task: /"id":"([^"]+)"/ },
  },
  {
    send: 'GET /api/v1/videos/tasks/{task}',
    as: 'user',
    status: 200,
    shows: { prompt: `${prompt} on a hill`, status: 'Success' },
    eventually: true,
  },
]

/** Bodies in JSON. */
export const bodies: readonly Case[] = [
  {
    id: 'a field with the name of the prototype',
    report: 'https://github.com/cojs/co-body/issues/70',
    steps: [
      { ...login('{"email":"{email}","password":"wrong horse","__proto__":{"version":"polluted"}}'), ...WRONG },
      { send: 'GET /api/v1/status', status: 200, never: ['polluted'] },
    ],
  },
  {
    id: 'a field that leads to the prototype',
    report: 'https://github.com/expressjs/body-parser/issues/347',
    steps: [
      { ...login('{"constructor":{"prototype":{"email":"{email}","password":"wrong horse"}}}'), ...INVALID },
      { ...login('{"__proto__":{"email":"{email}","password":"wrong horse"}}'), ...INVALID },
    ],
  },
  {
    id: 'a field that is given twice',
    report: 'https://github.com/w3c-ccg/traceability-interop/issues/539',
    steps: [
      { ...login('{"email":7,"email":"{email}","password":"wrong horse"}'), ...WRONG },
      { ...login('{"email":"{email}","email":7,"password":"wrong horse"}'), ...INVALID },
    ],
  },
  {
    id: 'lists in lists, to a depth of thousands',
    report: 'https://github.com/openclaw/openclaw/issues/152876',
    steps: [
      { ...login(`{"email":${'['.repeat(20_000)}${']'.repeat(20_000)}}`), ...INVALID },
      { ...login(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`), ...INVALID },
      { ...login('['.repeat(60_000)), ...INVALID },
    ],
  },
  {
    id: 'objects in a field that is ignored',
    report: 'https://github.com/nestjs/nest/pull/17801',
    ...login(`{"email":"{email}","password":"wrong horse","a":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`),
    ...WRONG,
  },
  {
    id: 'a byte order mark',
    report: 'https://github.com/n8n-io/n8n/pull/35933',
    ...login(`\ufeff${LOGIN}`),
    ...WRONG,
  },
  {
    id: 'an emoji in JSON',
    report: 'https://github.com/expressjs/body-parser/issues/150',
    steps: prompted('A 😒 cat', 'A 😒 cat'),
  },
  {
    id: 'a charset without its hyphen, and one in quotes',
    report: 'https://github.com/smithy-lang/smithy-rs/issues/3471',
    steps: ['application/json; charset=utf8', 'application/json;charset="UTF-8"', 'APPLICATION/JSON'].map(
      (type) => ({ ...login(LOGIN, type), ...WRONG }) as const,
    ),
  },
  {
    id: 'a body in UTF-16',
    report: 'https://github.com/javaee/metro-jax-ws/issues/581',
    ...login(Buffer.from(LOGIN, 'utf16le'), 'application/json; charset=utf-16'),
    ...INVALID,
  },
  {
    id: 'a NUL in a prompt',
    report: 'https://github.com/knex/knex/issues/2284',
    steps: prompted('A\\u0000 cat', 'A cat'),
  },
  {
    id: 'a NUL in a name and in an address',
    report: 'https://github.com/brianc/node-postgres/issues/2080',
    steps: [
      {
        send: 'PUT /api/v1/users/name',
        as: 'user',
        json: { username: 'Ada\u0000 L' },
        status: 200,
        shows: { username: 'Ada L' },
      },
      {
        send: 'POST /api/v1/auth/login',
        json: { email: 'a\u0000@kinora.test', password: 'wrong\u0000horse' },
        ...WRONG,
      },
    ],
  },
  {
    id: 'half of a surrogate pair in a prompt',
    report: 'https://github.com/ayunis-core/ayunis-core/pull/1613',
    steps: prompted('A\\ud83d cat', 'A cat'),
  },
  {
    id: 'half of a surrogate pair in a name',
    report: 'https://github.com/getsentry/sentry/pull/10752',
    send: 'PUT /api/v1/users/name',
    as: 'user',
    headers: TYPE,
    body: '{"username":"Ada \\udc00L"}',
    status: 200,
    shows: { username: 'Ada L' },
  },
  {
    id: 'bytes that are no UTF-8',
    report: 'https://github.com/getsentry/sentry/pull/10752',
    ...login(Buffer.from('{"email":"a\xed\xa0\xbd@kinora.test","password":"wrong \xff horse"}', 'latin1')),
    ...WRONG,
  },
  {
    id: 'a number that no integer of the database holds',
    report: 'https://github.com/directus/directus/issues/15809',
    steps: [
      order({ seed: 123_456_789_012_345_680_000 }),
      order({ duration: 2_147_483_648 }),
      order({ expected_credits: -1 }),
      order({ seed: 0.5 }),
    ],
  },
  {
    id: 'numbers in other notations',
    report: 'https://github.com/profullstack/sh1pt/pull/922',
    steps: ['1e999', '-0', '6.0000000000000001', '"6"'].map((duration) => ({
      send: 'POST /api/v1/videos/generate',
      as: 'user',
      headers: TYPE,
      body: JSON.stringify(ORDER).replace('"duration":6', `"duration":${duration}`),
      ...(duration.startsWith('6') ? { status: 202 } : INVALID),
    })),
  },
  {
    id: 'a webhook with an odd amount, without a signature',
    report: 'https://github.com/profullstack/sh1pt/pull/922',
    steps: ['"1e3"', '"0x10"', '"1,00"', '-5', 'null', '{}'].map((total) => ({
      send: 'POST /webhooks/paypal',
      headers: TYPE,
      body: `{"id":"WH-1","event_type":"PAYMENT.SALE.COMPLETED","resource":{"amount":{"total":${total}}}}`,
      status: 401,
      code: 'unauthenticated',
    })),
  },
]
