import type { Case } from './case.ts'

const REST = 'Host: {host}\r\nConnection: close\r\n\r\n'

/** Request lines, paths and hosts. */
export const addresses: readonly Case[] = [
  {
    id: 'a path that ends in a percent sign',
    report: 'https://github.com/senchalabs/connect/issues/460',
    steps: [
      { send: 'GET /foo%', status: 302, says: ['location: /\n'] },
      { send: 'GET /api/v1/videos/tasks/foo%', as: 'user', status: 404, code: 'not_found' },
    ],
  },
  {
    id: 'half of an encoded character in a path and in a query',
    report: 'https://github.com/sindresorhus/query-string/issues/98',
    steps: [
      { send: 'GET /%E0%A4%A', status: 302 },
      { send: 'GET /api/v1/videos/my-works?q=%', as: 'user', status: 200 },
      { send: 'GET /api/v1/videos/my-works?q=%E0%A4%A', as: 'user', status: 200 },
    ],
  },
  {
    id: 'an address that begins with the name of another host',
    report: 'https://github.com/TryGhost/Ghost/pull/7247',
    steps: [
      { send: 'GET //example.com/', status: 302, says: ['location: /\n'] },
      { send: 'GET ///example.com/faq/', status: 302, says: ['location: /\n'] },
      { send: 'GET /zh//example/', status: 302, says: ['location: /zh\n'] },
      { send: 'GET //example.com', status: 404, code: 'not_found' },
    ],
  },
  {
    id: 'an encoded slash before the name of another host',
    report: 'https://github.com/vercel/next.js/issues/17411',
    send: 'GET /%2Fexample.com/',
    status: 302,
    says: ['location: /\n'],
  },
  {
    id: 'a backslash before the name of another host',
    report: 'https://github.com/RackulaLives/Rackula/issues/2917',
    steps: [
      { send: 'GET /%5Cexample/', status: 302, says: ['location: /\n'] },
      { send: 'GET /\\example/', status: 302, says: ['location: /\n'] },
    ],
  },
  {
    id: 'two slashes before a page',
    report: 'https://github.com/evanw/esbuild/issues/3208',
    send: 'GET //faq',
    status: 302,
    says: ['location: /\n'],
  },
  {
    id: 'encoded dots in the path of a file',
    report: 'https://github.com/senchalabs/connect/issues/198',
    steps: [
      { send: 'GET /_astro/%2e%2e/%2e%2e/%2e%2e/package.json', status: 404, code: 'not_found', never: ['kinora"'] },
      { send: 'GET /legal/%2e%2e/%2e%2e/package.json', status: 404, code: 'not_found' },
    ],
  },
  {
    id: 'encoded slashes and dots in the path of a file',
    report: 'https://github.com/salesforce/agentscript/pull/13',
    steps: [
      { send: 'GET /%2e%2e%2f%2e%2e%2f%2e%2e%2fpackage.json', status: 404, code: 'not_found' },
      { send: 'GET /_astro/..%2f..%2f..%2fpackage.json', status: 404, code: 'not_found' },
      { send: 'GET /_astro/..%5c..%5cpackage.json', status: 404, code: 'not_found' },
    ],
  },
  {
    id: 'slashes that are encoded twice',
    report: 'https://github.com/11ty/dev-server/issues/152',
    send: 'GET /_astro/..%252f..%252fpackage.json',
    status: 404,
    code: 'not_found',
  },
  {
    id: 'dots that no client has resolved',
    report: 'https://github.com/lukejacksonn/servor/pull/70',
    steps: [
      { send: 'GET /../../package.json', status: 404, code: 'not_found' },
      { send: 'GET /_astro/../../../etc/passwd', status: 404, code: 'not_found' },
    ],
  },
  {
    id: 'a target that begins with dots',
    report: 'https://github.com/boazsegev/facil.io/issues/170',
    wire: `GET ../secret/secret.txt HTTP/1.1\r\n${REST}`,
    status: 400,
    code: 'malformed_request',
  },
  {
    id: 'an absolute target with half an IPv6 address',
    report: 'https://github.com/watson/original-url/issues/3',
    wire: `GET http://[::1 HTTP/1.1\r\n${REST}`,
    status: 400,
    code: 'malformed_request',
  },
  {
    id: 'a Host with an IPv6 address without brackets',
    report: 'https://github.com/jcolson/dndvault-bot/issues/512',
    steps: [
      { wire: 'GET /healthz HTTP/1.1\r\nHost: 2600:1f18:4283::1\r\nConnection: close\r\n\r\n', status: 200 },
      { wire: 'GET /api/v1/status HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n', status: 200 },
      {
        wire: 'GET /dev/mailbox.json HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n',
        status: 404,
        code: 'not_found',
      },
    ],
  },
  {
    id: 'two Host headers, different and the same',
    report: 'https://github.com/heroku/vegur/pull/157',
    steps: [
      { wire: `GET / HTTP/1.1\r\nHost: a.test\r\n${REST}`, status: 400, code: 'malformed_request' },
      { wire: `GET /healthz HTTP/1.1\r\nHost: {host}\r\n${REST}`, status: 400, code: 'malformed_request' },
    ],
  },
  {
    id: 'two Host headers on a request for a socket',
    report: 'https://github.com/oven-sh/bun/pull/33717',
    wire: 'GET /api/v1/ws?token=x HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    status: 400,
  },
  {
    id: 'no Host header',
    report: 'https://github.com/aspnet/KestrelHttpServer/issues/839',
    wire: 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
    status: 400,
  },
  {
    id: 'HEAD for what GET answers',
    report: 'https://github.com/CoreBunch/Instatic/issues/306',
    needsSite: true,
    steps: [
      ...['/', '/faq', '/zh', '/healthz', '/readyz', '/robots.txt', '/api/v1/status'].map(
        (path) => ({ send: `HEAD ${path}`, status: 200 }) as const,
      ),
      { send: 'HEAD /nothing', status: 302 },
      { send: 'HEAD /api/v1/auth/me', status: 401 },
    ],
  },
  {
    id: 'HEAD for health',
    report: 'https://github.com/steemit/jussi/issues/164',
    steps: [
      { send: 'HEAD /healthz', status: 200 },
      { send: 'HEAD /readyz', status: 200 },
    ],
  },
  {
    id: 'OPTIONS for the server, for a call and for a page',
    report: 'https://github.com/aspnet/ServerTests/issues/20',
    steps: [
      { wire: `OPTIONS * HTTP/1.1\r\n${REST}`, status: 404, code: 'not_found' },
      { send: 'OPTIONS /api/v1/auth/login', status: 405, code: 'method_not_allowed', says: ['allow: POST'] },
      { send: 'OPTIONS /', status: 404, code: 'not_found' },
    ],
  },
  {
    id: 'a question of a browser before a call from another site',
    report: 'https://github.com/coddingtonbear/inthe.am/issues/276',
    send: 'OPTIONS /api/v1/videos/tasks',
    as: 'user',
    headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' },
    status: 405,
    code: 'method_not_allowed',
    never: ['access-control-allow-origin'],
  },
  {
    id: 'a page with a slash at its end',
    report: 'https://github.com/static-web-server/static-web-server/issues/130',
    needsSite: true,
    steps: [
      { send: 'GET /faq/', status: 200, says: ['rel="canonical" href="http://{host}/faq"'] },
      { send: 'GET /zh/faq/?a=b', status: 200, says: ['rel="canonical" href="http://{host}/zh/faq"'] },
    ],
  },
  {
    id: 'pages by the names of their files',
    report: 'https://github.com/static-web-server/static-web-server/issues/130',
    needsSite: true,
    steps: ['/index.html', '/faq.html', '/zh.html', '/workspace.html', '/admin/dashboard.html', '/faq/index.html'].map(
      (path) => ({ send: `GET ${path}`, status: 404, code: 'not_found', never: ['placeholder'] }) as const,
    ),
  },
]
