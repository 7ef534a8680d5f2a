import { gzipSync } from 'node:zlib'
import { pick, type Random } from '../generate.ts'
import { bytes, framed, headOf, type MakeStructure, noise, odd, upTo } from './structure.ts'

const OBJECTS: Readonly<Record<string, object>> = {
  '/api/v1/auth/login': { email: 'a@kinora.test', password: 'x' },
  '/api/v1/auth/register': { email: 'a', password: 'x', username: 'x' },
  '/api/v1/auth/start': { email: 'a', draft: { prompt: 'x' } },
  '/api/v1/videos/generate': { prompt: 'x', task_type: 'text_to_video', model: 'x', duration: 6, resolution: '768P' },
  '/api/v1/analytics/page-view': { path: '/', event_type: 'page_view' },
  '/api/v1/analytics/login': { username: 'x', password: 'x' },
  '/v1/videos': { model: 'x', prompt: 'x', seconds: '6', input_reference: { image_url: 'data:image/png;base64,x' } },
  '/v1/videos/extensions': { prompt: 'x', video: { id: 'x' } },
  '/v1/keys/revoke': { token: 'x' },
  '/api/v1/users/passkeys/finish': { ticket: 'x', response: { id: 'x', response: {} } },
}
const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'application/json, text/plain',
  '',
  '\xff',
]

/** Makes JSON bodies. */
export const json: MakeStructure = (random, sender) => {
  const path = pick(random, Object.keys(OBJECTS))
  const isBeacon = path.endsWith('page-view') && random() < 0.5
  const type = odd(random) ? pick(random, TYPES) : isBeacon ? 'text/plain' : 'application/json'
  const [what, body] = pick(random, TEXTS)(random, JSON.stringify(OBJECTS[path]))
  const head = [
    ...headOf(`POST ${path} HTTP/1.1`, sender),
    ...(odd(random, 0.05) ? [] : [`Content-Type: ${type}`]),
    ...(odd(random, 0.05) ? [`Content-Encoding: ${pick(random, ['gzip', 'br', 'x', 'identity'])}`] : []),
    ...(path.startsWith('/v1/') && !odd(random, 0.05) ? [`Authorization: Bearer ${sender.key}`] : []),
    ...(odd(random, 0.5) ? [`Cookie: ${sender.cookie}`] : []),
  ]
  return framed(random, `${path}, ${what}`, head, body)
}

const REPORT = { 'csp-report': { 'document-uri': 'https://a/?b', 'blocked-uri': 'inline', 'violated-directive': 'x' } }
const REPORTS = [
  REPORT,
  [{ type: 'csp-violation', body: { documentURL: 'x' } }],
  [null, 1, 'x', [], {}],
  { 'csp-report': [] },
]

/** Makes reports of browsers about the policy of pages. */
export const reports: MakeStructure = (random, sender) => {
  const list = Array<unknown>(upTo(random, 100)).fill({
    type: 'csp-violation',
    body: { documentURL: {}, blockedURL: 1 },
  })
  const report = odd(random) ? list : pick(random, REPORTS)
  const [what, body] = pick(random, TEXTS)(random, JSON.stringify(report))
  const type = odd(random) ? pick(random, TYPES) : pick(random, ['application/csp-report', 'application/reports+json'])
  return framed(
    random,
    `report, ${what}`,
    [...headOf('POST /api/v1/csp-reports HTTP/1.1', sender), `Content-Type: ${type}`],
    body,
  )
}

const WEBHOOKS = ['paypal', `minimax/x.${'A'.repeat(43)}`, 'fal/x', 'replicate/x', `ark/${'x'.repeat(200)}`, '%ff', '']
const WEBHOOK_HEADERS = [
  'paypal-transmission-id: x',
  'paypal-cert-url: https://api.paypal.com/v1/notifications/certs/CERT-1',
  'paypal-cert-url: http://[::1',
  'paypal-auth-algo: SHA256withRSA',
  'paypal-transmission-time: x',
  'paypal-transmission-sig: \xff',
  'webhook-signature: v1,x v1a,x ,',
  'webhook-timestamp: 1e999',
]

/** Makes webhooks, which are read as raw bodies. */
export const webhooks: MakeStructure = (random, sender) => {
  const path = `/webhooks/${pick(random, WEBHOOKS)}`
  const body = odd(random, 0.05)
    ? Buffer.alloc(300_000, '[')
    : pick(random, TEXTS)(random, '{"id":"WH-1","resource":{}}')[1]
  const headers = WEBHOOK_HEADERS.filter(() => odd(random, 0.7))
  const type = `Content-Type: ${odd(random) ? pick(random, TYPES) : 'application/json'}`
  return framed(random, path, [...headOf(`POST ${path} HTTP/1.1`, sender), type, ...headers], body)
}

type Text = (random: Random, text: string) => readonly [string, Buffer]
const TEXTS: readonly Text[] = [
  (_, text) => ['valid', bytes(text)],
  (random, text) => ['cut short', bytes(text.slice(0, upTo(random, text.length)))],
  (random) => ['deep', bytes(pick(random, ['[', '{"a":', '[{"a":']).repeat(upTo(random, 20_000)))],
  (random) => ['deep and closed', bytes(`${'['.repeat(9_000)}${']'.repeat(9_000)}`.slice(upTo(random, 1)))],
  (_, text) => ['repeated fields', bytes(`${text.slice(0, -1)},${text.slice(1)}`)],
  (random, text) => ['trailing data', bytes(text + pick(random, ['x', '\0', '{}', ' ', '\r\n\r\n', '//']))],
  (_, text) => ['a byte order mark', Buffer.from(`\ufeff${text}`)],
  (_, text) => ['UTF-16', Buffer.from(text, 'utf16le')],
  (_, text) => ['gzip', gzipSync(text)],
  (random, text) => ['invalid UTF-8', bytes(text.replace('x', pick(random, ['\xff', '\xc0\x80', '\xed\xa0\x80'])))],
  (random, text) => [
    'odd escapes',
    bytes(text.replaceAll('x', pick(random, ['\\ud800', '\\u0000', '\\uffff', '\\x', '\\']))),
  ],
  (random, text) => [
    'prototypes',
    bytes(text.replace('{', pick(random, ['{"__proto__":{"a":1},', '{"constructor":1,', '{"toString":null,']))),
  ],
  (random) => [
    'another type',
    bytes(pick(random, ['null', 'true', '[]', '""', '-0', '1e999', '9'.repeat(400), '', ' ', 'NaN'])),
  ],
  (random) => ['noise', noise(random, upTo(random, 2_000))],
  (random, text) => [
    'many fields',
    bytes(`{${Array.from({ length: upTo(random, 5_000) }, (_, n) => `"${n}":0`).join()},${text.slice(1)}`),
  ],
  (random) => ['large', Buffer.alloc(60_000 + upTo(random, 20_000), 'x')],
]
