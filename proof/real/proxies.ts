import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import sharp from 'sharp'
import { WebSocket } from 'ws'
import { freePort } from '#backend/testing/freePort.ts'
import { type TestUser, visitor } from '#backend/testing/testUser.ts'
import { goProgram, goProgramOfCopy, goVersion } from './goProgram.ts'
import { startKinora, walkJourney } from './journey.ts'
import { type Part, type PartContext, Skipped } from './part.ts'
import { hasEnded, makeCertificate, stop } from './server.ts'

/** Files that a proxy needs, and the ports that it connects. */
interface Setting {
  readonly folder: string
  readonly certificate: string
  readonly key: string
  readonly port: number
  readonly upstream: number
}

interface Proxy {
  readonly name: string
  readonly versionArgs: readonly string[]
  /** Builds the program, if it is not on PATH. @throws Skipped */
  readonly build?: (cache: string) => { readonly program: string; readonly version: string }
  /** Writes the configuration and returns the arguments of the program. */
  readonly configure: (setting: Setting) => readonly string[]
}

/** The newest release of which the Go proxy has every module. */
const TRAEFIK = '3.6.12'
const CADDY = 'github.com/caddyserver/caddy/v2'
const OPERATOR = { username: 'operator', password: 'a wall of numbers' }
const SAMPLES = path.resolve(import.meta.dirname, '../../docs/operations/proxies')
const sample = (name: string, replaced: Readonly<Record<string, string>>): string => {
  let text = readFileSync(path.join(SAMPLES, name), 'utf8')
  for (const [from, to] of Object.entries(replaced)) {
    assert.ok(text.includes(from), `${name} has no ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}
const written = ({ folder }: Setting, name: string, text: string): string => {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

export const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    versionArgs: ['-v'],
    configure: (setting) => {
      const { folder, certificate, key, port, upstream } = setting
      const server = sample('nginx.conf', {
        '443': String(port),
        '/etc/ssl/videos.example.com/fullchain.pem': certificate,
        '/etc/ssl/videos.example.com/privkey.pem': key,
        '127.0.0.1:3000': `127.0.0.1:${upstream}`,
      })
      const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      )
      const main = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}
        http { access_log off; ${folders.join(' ')} ${server} }`
      return ['-p', folder, '-c', written(setting, 'nginx.conf', main)]
    },
  },
  {
    name: 'haproxy',
    versionArgs: ['-v'],
    configure: (setting) => {
      const { certificate, key, port, upstream } = setting
      const both = written(setting, 'both.pem', readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
      const replaced = { ':443': `127.0.0.1:${port}`, '/etc/ssl/videos.example.com.pem': both }
      const text = sample('haproxy.cfg', { ...replaced, '127.0.0.1:3000': `127.0.0.1:${upstream}` })
      return ['-f', written(setting, 'haproxy.cfg', text)]
    },
  },
  {
    name: 'caddy',
    versionArgs: ['version'],
    build(cache) {
      const program = goProgram(cache, CADDY, '/cmd/caddy')
      return { program, version: goVersion(program, CADDY) }
    },
    configure: (setting) => {
      const { certificate, key, port, upstream } = setting
      const site = sample('Caddyfile', {
        'videos.example.com {': `https://localhost:${port} {\n tls ${certificate} ${key}`,
        '127.0.0.1:3000': `127.0.0.1:${upstream}`,
      })
      const text = `{\n admin off\n auto_https disable_redirects\n}\n${site}`
      return ['run', '--adapter', 'caddyfile', '--config', written(setting, 'Caddyfile', text)]
    },
  },
  {
    name: 'traefik',
    versionArgs: ['version'],
    build: (cache) => ({
      program: goProgramOfCopy(
        cache,
        'github.com/traefik/traefik/v3',
        `v${TRAEFIK}`,
        '/cmd/traefik',
        'webui/static/index.html',
      ),
      version: TRAEFIK,
    }),
    configure: (setting) => {
      const { certificate, key, port, upstream } = setting
      const routes = sample('traefik-kinora.yml', {
        'Host(`videos.example.com`)': 'Host(`localhost`)',
        '/etc/ssl/videos.example.com/fullchain.pem': certificate,
        '/etc/ssl/videos.example.com/privkey.pem': key,
        '127.0.0.1:3000': `127.0.0.1:${upstream}`,
      })
      const file = written(setting, 'traefik-kinora.yml', routes)
      const text = sample('traefik.yml', { ':443': `127.0.0.1:${port}`, '/etc/traefik/traefik-kinora.yml': file })
      return [`--configFile=${written(setting, 'traefik.yml', text)}`]
    },
  },
]

/** Proxies in front of Kinora, with the samples of docs/operations/proxies. */
export const PROXY_PARTS: readonly Part[] = PROXIES.map((proxy) => ({
  name: `proxy ${proxy.name}`,
  run: (context) => tryProxy(proxy, context),
}))

/** Returns the program on PATH, or one that is built. @throws Skipped */
function programOf({ name, versionArgs, build }: Proxy, cache: string) {
  const { error, stdout, stderr } = spawnSync(name, versionArgs, { encoding: 'utf8' })
  if (!error) return { program: name, version: /\d+\.\d+\.\d+/.exec(stdout + stderr)?.[0] ?? '' }
  if (!build) throw new Skipped('it is not on PATH')
  return build(cache)
}

async function tryProxy(tried: Proxy, { cache, folder, full }: PartContext): Promise<string> {
  const { program, version } = programOf(tried, cache)
  const { certificate, key } = makeCertificate(folder)
  const [port, upstream] = [await freePort(), await freePort()]
  const url = `https://localhost:${port}`
  const env = {
    DATA_DIR: path.join(folder, 'data'),
    PORT: String(upstream),
    TRUSTED_PROXIES: '1',
    PUBLIC_URL: url,
    OPERATOR_PASSWORD: OPERATOR.password,
  }
  const kinora = await startKinora(env)
  const proxy = spawn(program, tried.configure({ folder, certificate, key, port, upstream }), {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said: string[] = []
  proxy.stderr?.on('data', (text) => said.push(String(text)))
  try {
    const ca = readFileSync(certificate)
    await listens(proxy, { url, ca }, said)
    await tryThrough({ url, ca }, `http://localhost:${upstream}`, full)
    return version
  } finally {
    await stop(proxy, 'SIGINT')
    await kinora.stop()
  }
}

interface Front {
  readonly url: string
  readonly ca: Buffer
}

async function listens(proxy: ChildProcess, front: Front, said: readonly string[]): Promise<void> {
  for (;;) {
    if (hasEnded(proxy)) throw new Error(`it ended with ${proxy.exitCode ?? proxy.signalCode}: ${said.join('')}`)
    const answer = await send(front, '/healthz').catch(() => undefined)
    if (answer?.status === 200) return
    await delay(100)
  }
}

/** @param direct address of Kinora itself */
async function tryThrough(front: Front, direct: string, full: boolean): Promise<void> {
  const { user, id: film } = await walkJourney({ url: direct })
  const socket = await openSocket(front, user)
  const idle = delay(full ? 75_000 : 5_000)

  const cookie = { cookie: user.cookie, origin: front.url }
  assert.equal((await send(front, '/api/v1/auth/me', { headers: cookie })).status, 200)
  const upload = (megabytes: number) => uploadOf(front, cookie, Buffer.alloc(megabytes * 1_000_000, 'x'))
  assert.equal((await upload(19)).code, 'invalid_file_type', 'a file of 19 MB that is no picture')
  assert.deepEqual(await upload(21), { status: 413, code: 'payload_too_large' }, 'a file of 21 MB')
  const noise = {
    width: 1_000,
    height: 1_000,
    channels: 3,
    background: 'grey',
    noise: { type: 'gaussian', sigma: 80 },
  } as const
  const picture = await sharp({ create: noise }).jpeg().toBuffer()
  const slow = uploadOf(front, cookie, picture, full ? 7_000 : 200)
  slow.catch(() => {})
  const range = await send(front, `/api/v1/videos/preview/${film}`, { headers: { ...cookie, range: 'bytes=4-7' } })
  assert.deepEqual(range, { status: 206, text: 'ftyp' }, 'a range of a film')

  const claimed = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' }
  await send(front, '/api/v1/analytics/page-view', {
    method: 'POST',
    headers: claimed,
    body: '{"path":"/faq","session_id":"s"}',
  })
  assert.deepEqual(await addressesOf(direct), ['127.0.0.1'], 'a visitor who claims another address')

  assert.equal((await slow).status, 200, 'an upload that takes long')
  await idle
  socket.send('{"type":"ping"}')
  const [answer] = await once(socket, 'message', { signal: AbortSignal.timeout(120_000) })
  assert.deepEqual(JSON.parse(String(answer)), { type: 'pong' }, 'a socket that was idle')
  socket.close()
}

async function openSocket({ url, ca }: Front, user: TestUser): Promise<WebSocket> {
  const address = new URL(await user.socketAddress())
  const socket = new WebSocket(`${url.replace('https', 'wss')}${address.pathname}${address.search}`, { ca })
  await once(socket, 'open', { signal: AbortSignal.timeout(120_000) })
  return socket
}

/** Uploads a file in ten parts. @param pauseMs time between two */
async function uploadOf(
  front: Front,
  headers: Readonly<Record<string, string>>,
  file: Buffer<ArrayBuffer>,
  pauseMs = 0,
) {
  const form = new FormData()
  form.set('file', new Blob([file], { type: 'image/jpeg' }), 'a.jpg')
  const encoded = new Response(form)
  const body = Buffer.from(await encoded.arrayBuffer())
  const type = { 'content-type': encoded.headers.get('content-type')! }
  const { status, text } = await send(front, '/api/v1/videos/upload-image', {
    method: 'POST',
    headers: { ...headers, ...type },
    body,
    pauseMs,
  })
  return { status, code: (JSON.parse(text) as { code?: string }).code }
}

/** Returns the addresses of visits that the operator sees. */
async function addressesOf(url: string): Promise<unknown[]> {
  const { api, post } = visitor(url)
  const login = await post('/analytics/login', OPERATOR)
  const headers = { cookie: login.headers.getSetCookie()[0]!.split(';')[0]! }
  for (;;) {
    const answer = await fetch(`${api}/analytics/overview`, { headers })
    const { data } = (await answer.json()) as { data: { recent_visits: { ip: string }[] } }
    if (data.recent_visits.length > 0) return data.recent_visits.map(({ ip }) => ip)
    await delay(200)
  }
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Time between two of the ten parts of the body, ms. */
  readonly pauseMs?: number
}

function send(
  { url, ca }: Front,
  pathname: string,
  { method = 'GET', headers = {}, body = '', pauseMs = 0 }: Sent = {},
) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const call = request(url + pathname, { method, headers, ca }, (answer) => {
      const { statusCode: status = 0 } = answer
      text(answer).then((read) => resolve({ status, text: read }), reject)
    })
    call.on('error', reject)
    call.setHeader('content-length', Buffer.byteLength(body))
    const bytes = Buffer.from(body)
    const step = Math.ceil(bytes.length / 10)
    const write = async () => {
      for (let at = 0; at < bytes.length; at += step) {
        call.write(bytes.subarray(at, at + step))
        if (pauseMs > 0) await delay(pauseMs)
      }
      call.end()
    }
    void write()
  })
}
