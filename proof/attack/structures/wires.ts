import { pick, type Random } from '../generate.ts'
import { bytes, headOf, inPieces, type MakeStructure, noise, odd, upTo } from './structure.ts'

const METHODS = [
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'get',
  'X',
  '',
]
const PATHS = [
  '/',
  '/zh/',
  '/faq',
  '/api/v1/status',
  '/api/v1/auth/me',
  '/api/v1/videos/tasks',
  '/v/x',
  '/readyz',
  '/dev/mailbox',
  '/api/v1/ws',
  '/v1/models',
  '/v1/videos?after=x&limit=1',
]
const TARGETS = [
  ...[
    'http://localhost/',
    'http://[::1',
    'http://[::1/',
    'https://a:b@c:99999/',
    'http://',
    'file:///etc/passwd',
    '//[',
    '///',
    '*',
    'x',
  ],
  ...[
    '/%',
    '/%00',
    '/%ff',
    '/..%2f..%2fetc/passwd',
    '/\\..\\x',
    '/a?%',
    '/?a[b]=c&a=d',
    '/?#',
    '/\xff',
    '/v/%F0%9F',
    '/é',
    'localhost:80',
    '[::1]:80',
  ],
]
const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 x', 'HTTP/1.', 'http/1.1', '']
const HOSTS = [
  '',
  'a',
  'a:b',
  'localhost:99999',
  '[::1',
  '[::1]',
  'a b',
  'a,b',
  '\xff',
  'é',
  'a/b',
  '@',
  `${'a'.repeat(300)}`,
]
/** Values of headers that the server reads. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  Range: ['bytes=0-', 'bytes=-', 'bytes=9-1', 'bytes=0-0,2-3', 'bytes=-99999999999999999999', 'x'],
  'If-None-Match': ['*', '"', 'W/"x"', '"a", "b"'],
  'If-Modified-Since': ['x', 'Thu, 01 Jan 1970 00:00:00 GMT', '-1'],
  'Accept-Encoding': ['br;q=0', '*;q=x', 'gzip, gzip, , identity;q=0', ';'],
  'Accept-Language': ['zh', ',', 'x'.repeat(5_000), 'zh;q=9'],
  Accept: ['*/*', 'text/html;q=x', ';;', ','],
  Cookie: [
    '=',
    'kinora_access',
    'kinora_access=; kinora_access=x',
    `kinora_refresh=${'x'.repeat(4_000)}`,
    'a="',
    '%=%',
    ';;;',
  ],
  'X-Forwarded-For': ['x', '', ',', '::1%25', '::ffff:1.2.3.4', '1.2.3.4:80', '256.1.1.1', '1:2:3:4:5:6:7:8:9', ',,,,'],
  'X-Forwarded-Proto': ['x', 'https,http', ''],
  'X-Forwarded-Host': ['[::1', 'x y'],
  Origin: ['null', 'http://[', 'x', ''],
  Referer: ['http://[', '\xff'],
  'X-Correlation-Id': ['x', '00000000-0000-0000-0000-000000000000'],
  'Idempotency-Key': ['', 'x'.repeat(201), '\xff'],
  Authorization: ['Bearer', 'Basic \xff', 'x', `Bearer kin_${'A'.repeat(38)}`, `Bearer ${'x'.repeat(9_000)}`],
  Expect: ['100-continue', 'x'],
  Upgrade: ['h2c', 'websocket', 'x', ''],
  Connection: ['upgrade', 'keep-alive, upgrade', 'x', 'close, keep-alive'],
  'Content-Length': ['0', '0, 0', '1', '-0'],
  'Transfer-Encoding': ['chunked', 'x'],
  TE: ['trailers'],
  'User-Agent': ['', '\xff'.repeat(2_000)],
}

/** Makes request lines and headers. */
export const heads: MakeStructure = (random, sender) => {
  const target = odd(random, 0.4) ? pick(random, TARGETS) : pick(random, PATHS)
  const version = odd(random, 0.1) ? pick(random, VERSIONS) : 'HTTP/1.1'
  const line = `${odd(random, 0.4) ? pick(random, METHODS) : 'GET'} ${target} ${version}`
  const [, , ...rest] = headOf('', sender)
  const hosts = odd(random, 0.3) ? Array.from({ length: upTo(random, 2) }, () => pick(random, HOSTS)) : ['localhost']
  const extra = Array.from({ length: upTo(random, 3) }, () => {
    const [name, values] = pick(random, Object.entries(HEADERS))
    return `${name}: ${pick(random, values)}`
  })
  const headers = [
    ...hosts.map((host) => `Host: ${host}`),
    ...rest,
    ...extra,
    ...(odd(random) ? [pick(random, oddLines(random))] : []),
  ]
  const between = odd(random, 0.05) ? pick(random, ['\n', '\r', '\r\r\n']) : '\r\n'
  const text = [line, ...headers, ...(odd(random, 0.1) ? headers : [])].join(between)
  return {
    what: text.slice(0, 200),
    pieces: [bytes(`${text}\r\n\r\n`)],
    ending: pick(random, ['end', 'end', 'reset'] as const),
  }
}

const oddLines = (random: Random): readonly string[] => [
  ' folded: x',
  'X: a\r\n b\r\n\tc',
  'no colon',
  ': x',
  'X : y',
  'X: \0',
  'é: x',
  `X: ${'x'.repeat(upTo(random, 20_000))}`,
  `${'x'.repeat(upTo(random, 20_000))}: x`,
  Array.from({ length: upTo(random, 2_500) }, (_, n) => `X${n}: y`).join('\r\n'),
  'Host: again',
]

/** Makes several requests on one connection, complete or not. */
export const pipelines: MakeStructure = (random, sender) => {
  const one = () => {
    const lines = [pick(random, ['GET', 'HEAD', 'POST', 'DELETE']), pick(random, PATHS), 'HTTP/1.1'].join(' ')
    const body = odd(random, 0.4) ? 'x'.repeat(upTo(random, 3_000)) : ''
    const type = pick(random, ['application/json', 'text/plain', 'multipart/form-data; boundary=b'])
    return `${lines}\r\nHost: localhost\r\nX-Forwarded-For: ${sender.network}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
  const count = 1 + upTo(random, 20)
  const all = bytes(Array.from({ length: count }, one).join(odd(random, 0.1) ? '\r\n' : ''))
  const sent = odd(random, 0.3) ? all.subarray(0, upTo(random, all.length)) : all
  return { what: `${count} requests`, pieces: inPieces(random, sent), ending: pick(random, ['end', 'reset'] as const) }
}

/** Makes connections that are no HTTP. */
export const garbage: MakeStructure = (random) => {
  const [what, content] = pick(random, [
    ['nothing', Buffer.alloc(0)],
    ['TLS', Buffer.from('16030100c8010000c40303', 'hex')],
    ['HTTP/2', bytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['line breaks', bytes('\r\n'.repeat(upTo(random, 1_000)))],
    ['noise', noise(random, upTo(random, 5_000))],
    ['one long line', Buffer.alloc(upTo(random, 100_000), 'G')],
  ] as const)
  return { what, pieces: inPieces(random, content), ending: pick(random, ['end', 'reset'] as const) }
}

const KEYS = ['dGhlIHNhbXBsZSBub25jZQ==', 'x', '', 'A'.repeat(5_000)]
const EXTENSIONS = ['permessage-deflate', 'permessage-deflate; client_max_window_bits=99', 'x; y="', ',']

/** Makes handshakes of WebSockets and what follows them. */
export const webSockets: MakeStructure = (random, sender) => {
  const token = odd(random) ? pick(random, ['', 'x', '%ff', '[']) : sender.token
  const head = [
    `${odd(random, 0.05) ? 'POST' : 'GET'} /api/v1/ws?token=${token} HTTP/1.1`,
    'Host: localhost',
    `X-Forwarded-For: ${sender.network}`,
    `Upgrade: ${odd(random, 0.1) ? pick(random, ['WebSocket', 'websocket, h2c', 'h2c']) : 'websocket'}`,
    `Connection: ${odd(random, 0.1) ? pick(random, ['keep-alive', 'close']) : 'Upgrade'}`,
    `Sec-WebSocket-Key: ${odd(random, 0.1) ? pick(random, KEYS) : KEYS[0]}`,
    `Sec-WebSocket-Version: ${odd(random, 0.1) ? pick(random, ['12', 'x', '']) : '13'}`,
    ...(odd(random) ? [`Sec-WebSocket-Extensions: ${pick(random, EXTENSIONS)}`] : []),
    ...(odd(random) ? [`Sec-WebSocket-Protocol: ${pick(random, ['a, b', ',', 'é', 'a, a'])}`] : []),
    ...(odd(random, 0.1) ? [`Origin: ${pick(random, ['null', 'http://[', 'https://evil.example'])}`] : []),
  ]
  const frames = Array.from({ length: upTo(random, 5) }, () => frameOf(random))
  const pieces = [bytes(`${head.join('\r\n')}\r\n\r\n`), ...frames]
  const joined = odd(random, 0.3) ? [Buffer.concat(pieces)] : pieces
  return { what: `socket, ${frames.length} frames`, pieces: joined, ending: pick(random, ['end', 'reset'] as const) }
}

/** Returns a frame (RFC 6455, section 5.2) of any kind: reserved bits and codes, no mask, wrong lengths, invalid UTF-8. */
function frameOf(random: Random): Buffer {
  const content = odd(random, 0.5) ? bytes('{"type":"ping"}') : noise(random, upTo(random, 200))
  const first = odd(random) ? upTo(random, 255) : pick(random, [0x81, 0x82, 0x88, 0x89, 0x8a, 0x01, 0x00, 0x80])
  const isMasked = !odd(random, 0.1)
  const length = odd(random, 0.1) ? pick(random, [126, 127, 0, 125]) : Math.min(content.length, 125)
  const mask = isMasked ? Buffer.alloc(4) : Buffer.alloc(0)
  return Buffer.concat([Buffer.from([first, (isMasked ? 0x80 : 0) | length]), mask, content])
}
