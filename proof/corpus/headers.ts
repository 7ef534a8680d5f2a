import { gzipSync } from 'node:zlib'
import type { Case } from './case.ts'

const LOGIN = '{"email":"{email}","password":"wrong horse"}'
const ASKING = '{"email":"asks@kinora.test","password":"wrong horse"}'
const login = (head: string, body: string) =>
  `POST /api/v1/auth/login HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-For: {network}\r\nConnection: close\r\n${head}\r\n\r\n${body}`
const JSON_TYPE = 'Content-Type: application/json'
const UPGRADE = 'Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__'
/** More than the two thousand headers that Node keeps. */
const MANY = 'a:\r\n'.repeat(2_100)

/** Headers and the framing of bodies. */
export const headers: readonly Case[] = [
  {
    id: 'an encoding that the client refuses',
    report: 'https://github.com/eustas/ngx_brotli/issues/27',
    needsSite: true,
    steps: [
      { send: 'GET /', headers: { 'accept-encoding': 'gzip, br;q=0' }, status: 200, never: ['content-encoding: br'] },
      { send: 'GET /', headers: { 'accept-encoding': 'gzip;q=0' }, status: 200, never: ['content-encoding'] },
      { send: 'GET /', headers: { 'accept-encoding': 'br' }, status: 200, says: ['content-encoding: br'] },
    ],
  },
  {
    id: 'no encoding but none',
    report: 'https://github.com/netty/netty/issues/164',
    needsSite: true,
    send: 'GET /',
    headers: { 'accept-encoding': 'identity, *;q=0' },
    status: 200,
    never: ['content-encoding'],
  },
  {
    id: 'a list of tags, a weak tag and a star',
    report: 'https://github.com/bottlepy/bottle/pull/1537',
    needsSite: true,
    steps: [
      { send: 'GET /', status: 200, take: { tag: /etag: (.*)\n/ } },
      ...['{tag}', '"other", {tag}', 'W/"x",{tag} , "y"', '*'].map(
        (tag) => ({ send: 'GET /', headers: { 'if-none-match': tag }, status: 304 }) as const,
      ),
      { send: 'GET /', headers: { 'if-none-match': '"other"' }, status: 200 },
    ],
  },
  {
    id: 'a tag that a proxy has made weak',
    report: 'https://github.com/ggml-org/llama.cpp/issues/23849',
    needsSite: true,
    steps: [
      { send: 'GET /', status: 200, take: { value: /etag: (?:W\/)?(".*")\n/ } },
      { send: 'GET /', headers: { 'if-none-match': 'W/{value}' }, status: 304 },
      { send: 'GET /', headers: { 'if-none-match': '{value}' }, status: 304 },
    ],
  },
  {
    id: 'a date beside a tag of another version',
    report: 'https://github.com/scottlamb/http-serve/issues/23',
    needsSite: true,
    send: 'GET /',
    headers: { 'if-none-match': '"other"', 'if-modified-since': 'Fri, 31 Dec 2099 23:59:59 GMT' },
    status: 200,
  },
  {
    id: 'a tag and a date that are none',
    report: 'https://github.com/actionhero/keryx/issues/390',
    needsSite: true,
    steps: ['x', '"', 'W/', ',,,', '"a" "b"'].map(
      (tag) =>
        ({ send: 'GET /', headers: { 'if-none-match': tag, 'if-modified-since': 'soon' }, status: 200 }) as const,
    ),
  },
  {
    id: 'a cookie with the name of the prototype',
    report: 'https://github.com/hapijs/statehood/issues/71',
    steps: [
      {
        send: 'GET /api/v1/auth/me',
        headers: { cookie: '__proto__=x; constructor=y' },
        status: 401,
        code: 'unauthenticated',
      },
      { send: 'GET /api/v1/status', status: 200, never: ['__proto__'] },
    ],
  },
  {
    id: 'cookies with the names of methods',
    report: 'https://github.com/js-cookie/js-cookie/issues/967',
    send: 'GET /api/v1/auth/me',
    headers: { cookie: 'toString=x; hasOwnProperty=y; kinora_access' },
    status: 401,
    code: 'unauthenticated',
  },
  {
    id: 'two semicolons between cookies',
    report: 'https://github.com/abecms/abecms/pull/114',
    send: 'GET /api/v1/auth/me',
    headers: { cookie: ';; a=b;;;kinora_access=x;; =;' },
    status: 401,
    code: 'unauthenticated',
  },
  {
    id: 'a cookie that ends in a percent sign, and one with quotes',
    report: 'https://github.com/ngx-utils/cookies/pull/18',
    steps: ['kinora_access=%', 'kinora_access="', 'kinora_access="%E0%A4%A"', 'kinora_access=x%00'].map(
      (cookie) => ({ send: 'GET /api/v1/auth/me', headers: { cookie }, status: 401, code: 'unauthenticated' }) as const,
    ),
  },
  {
    id: 'two cookies with one name',
    report: 'https://github.com/honojs/hono/issues/4916',
    send: 'GET /workspace',
    headers: { cookie: 'kinora_access=a; kinora_access=b' },
    status: 200,
  },
  {
    id: 'two Cookie headers',
    report: 'https://github.com/http-kit/http-kit/issues/138',
    wire: 'GET /api/v1/auth/me HTTP/1.1\r\nHost: {host}\r\nCookie: a=1\r\nCookie: kinora_access=2\r\nConnection: close\r\n\r\n',
    status: 401,
    code: 'unauthenticated',
  },
  {
    id: 'a proxy that does not name its client',
    report: 'https://github.com/home-assistant/core/issues/108712',
    send: 'POST /api/v1/auth/login',
    headers: { 'x-forwarded-for': 'unknown' },
    json: { email: '{email}', password: 'wrong horse' },
    status: 401,
    code: 'invalid_credentials',
  },
  {
    id: 'a proxy that adds a port',
    report: 'https://github.com/getsentry/sentry/pull/3239',
    steps: ['10.1.2.3:80', '[2001:db8::1]:443', 'localhost', ', ,', '1.2.3.4, '].map(
      (address) =>
        ({
          send: 'POST /api/v1/auth/login',
          headers: { 'x-forwarded-for': address },
          json: { email: '{email}', password: 'wrong horse' },
          status: 401,
          code: 'invalid_credentials',
        }) as const,
    ),
  },
  {
    id: 'an upgrade to HTTP/2',
    report: 'https://github.com/websockets/ws/issues/1673',
    steps: [
      { wire: `GET /healthz HTTP/1.0\r\nHost: {host}\r\nUpgrade: h2c\r\n${UPGRADE}\r\n\r\n`, status: 200 },
      {
        wire: `GET /api/v1/ws HTTP/1.0\r\nHost: {host}\r\nUpgrade: h2c\r\n${UPGRADE}\r\n\r\n`,
        status: 404,
        code: 'not_found',
      },
    ],
  },
  {
    id: 'an upgrade with more headers than a server reads',
    report: 'https://github.com/websockets/ws/issues/2230',
    wire: `GET /api/v1/ws HTTP/1.1\r\nHost: {host}\r\n${MANY}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    status: 431,
    code: 'headers_too_large',
  },
  {
    id: 'cookies of other services that fill the headers',
    report: 'https://github.com/openhab/openhab-core/issues/287',
    steps: [
      { send: 'GET /api/v1/status', headers: { cookie: `a=${'x'.repeat(8_119)}` }, status: 200 },
      {
        send: 'GET /api/v1/status',
        headers: { cookie: `a=${'x'.repeat(17_000)}` },
        status: 431,
        code: 'headers_too_large',
      },
    ],
  },
  {
    id: 'a client that asks before it sends a body',
    report: 'https://github.com/http-kit/http-kit/pull/130',
    wire: login(`${JSON_TYPE}\r\nContent-Length: ${ASKING.length}\r\nExpect: 100-continue`, ASKING),
    status: 100,
    says: ['HTTP/1.1 401 Unauthorized'],
  },
  {
    id: 'an unknown expectation',
    report: 'https://github.com/nodejs/node/issues/2403',
    wire: login(`${JSON_TYPE}\r\nContent-Length: ${ASKING.length}\r\nExpect: payment`, ASKING),
    status: 417,
  },
  {
    id: 'a length beside chunks',
    report: 'https://github.com/nodejs/http-parser/issues/517',
    wire: login(`${JSON_TYPE}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked`, '2\r\n{}\r\n0\r\n\r\n'),
    status: 400,
    code: 'malformed_request',
  },
  {
    id: 'two lengths',
    report: 'https://github.com/cloudwego/hertz/pull/1490',
    wire: login(`${JSON_TYPE}\r\nContent-Length: 2\r\nContent-Length: 3`, '{} '),
    status: 400,
    code: 'malformed_request',
  },
  {
    id: 'a compressed body',
    report: 'https://github.com/HarperFast/harper/issues/1438',
    send: 'POST /api/v1/auth/login',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(LOGIN),
    status: 415,
    code: 'not_json',
  },
  {
    id: 'a compressed body that grows a thousandfold',
    report: 'https://github.com/expressjs/body-parser/issues/454',
    send: 'POST /api/v1/analytics/page-view',
    headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(10_000_000, ' ')),
    status: 415,
    code: 'not_json',
  },
  {
    id: 'an encoding that is a charset',
    report: 'https://github.com/stream-utils/inflation/issues/16',
    send: 'POST /api/v1/auth/login',
    headers: { 'content-type': 'application/json', 'content-encoding': 'utf-8' },
    body: LOGIN,
    status: 415,
    code: 'not_json',
  },
  {
    id: 'a page that was opened at an IP address',
    report: 'https://github.com/MODSetter/SurfSense/pull/1607',
    steps: [
      {
        send: 'POST /api/v1/auth/login',
        headers: { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-origin' },
        json: { email: '{email}', password: 'wrong horse' },
        status: 401,
        code: 'invalid_credentials',
      },
      {
        send: 'POST /api/v1/auth/login',
        headers: { origin: 'http://192.0.2.7:3000' },
        json: { email: '{email}', password: 'wrong horse' },
        status: 403,
        code: 'cross_site',
      },
    ],
  },
]
