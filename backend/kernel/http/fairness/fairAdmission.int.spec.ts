import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import Koa from 'koa'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { refuseForeign } from '../ownOrigin.ts'
import { problemDetails } from '../problemDetails.ts'
import { readRawBody } from '../readRawBody.ts'
import { createRealtime } from '../realtime.ts'
import { createFairAdmission, type FairAdmission } from './fairAdmission.ts'

const RATE = 10
/** Requests of a session in progress, and in its queue. */
const [RUNNING, WAITING] = [8, 280]

let admission: FairAdmission
let server: Server
let url: string
let gate: PromiseWithResolvers<void>
let inProgress: string[]
/** Number of requests that the server has received. */
let received: number
/** The clock of the admission, ms. It stands still unless a test moves it. */
let now: number

beforeEach(async () => {
  now = received = 0
  gate = Promise.withResolvers()
  inProgress = []
  admission = createFairAdmission(
    { session: RATE, network: RATE },
    (ctx) => ctx.get('x-session') || undefined,
    () => now,
  )
  const app = new Koa({ proxy: true, maxIpsCount: 1 })
  app.silent = true
  app.use(problemDetails(pino({ level: 'silent' })))
  app.use(admission.middleware)
  app.use(async (ctx) => {
    inProgress.push(ctx.get('x-session') || ctx.ip)
    if (ctx.path.endsWith('/slow')) await gate.promise
    if (ctx.method === 'POST') await readRawBody(ctx, 100_000_000)
    ctx.body = 'ok'
  })
  server = createServer(app.callback()).on('request', () => received++)
  const noTokens = { em: { fork: () => ({ execute: async () => [] }) } }
  createRealtime(noTokens as never, async () => true).attach(server, (request) =>
    admission.admitSocket(
      app,
      request,
      refuseForeign(() => 'https://kinora.test', true),
    ),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  gate.resolve()
  admission.stop()
  server.closeAllConnections()
  server.close()
})

const from = (session: string, ip = '203.0.113.9') => ({
  'x-forwarded-for': ip,
  ...(session && { 'x-session': session }),
})
const slow = (session: string, ip?: string) =>
  fetch(`${url}/api/v1/slow`, { headers: from(session, ip) }).catch(() => undefined)
const quick = (session: string, ip?: string) => fetch(`${url}/api/v1/quick`, { headers: from(session, ip) })
/** Sends a request that may still wait when the test ends. */
const send = (session: string, ip?: string) => void quick(session, ip).catch(() => {})
const arrived = (count: number) => expect.poll(() => received).toBe(count)
const times = <T>(count: number, send: () => T): T[] => Array.from({ length: count }, send)

describe('a client that leaves before its body is read', () => {
  it('frees its places, so that its next request is answered', async () => {
    const { port } = server.address() as AddressInfo
    const head = 'POST /api/v1/slow HTTP/1.1\r\nHost: x\r\nX-Session: a\r\nContent-Length: 9\r\n\r\nbody'
    const gone = times(RUNNING, () =>
      connect(port, '127.0.0.1', function (this: Socket) {
        this.write(head)
      }),
    )
    await expect.poll(() => inProgress.length).toBe(RUNNING)
    for (const socket of gone) socket.destroy()
    await expect.poll(() => promisify(server.getConnections.bind(server))()).toBe(0)
    gate.resolve()
    const answer = await fetch(`${url}/api/v1/quick`, { headers: from('a') })
    expect(answer.status).toBe(200)
  })
})

describe('a client that sends slow requests', () => {
  it('has eight in progress, while others of its network are answered', async () => {
    times(50, () => void slow('hostile'))
    await arrived(50)
    expect((await quick('neighbour')).status).toBe(200)
    expect((await quick('')).status).toBe(200)
    expect(inProgress.filter((who) => who === 'hostile')).toHaveLength(RUNNING)
  })

  it('has 32 in progress if it has no session, and the sessions of its network are answered', async () => {
    times(50, () => void slow(''))
    await arrived(50)
    await expect
      .poll(() => {
        now += 1_000
        return inProgress.length
      })
      .toBe(32)
    expect((await quick('neighbour')).status).toBe(200)
    expect(inProgress.filter((who) => who === '203.0.113.9')).toHaveLength(32)
  })

  it('is refused with 429 and Retry-After when its queue is full', async () => {
    times(RUNNING + WAITING, () => void slow('hostile'))
    await arrived(RUNNING + WAITING)
    const answer = await quick('hostile')
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(10)
    expect(await answer.json()).toMatchObject({ code: 'too_many_requests' })
  })
})

it('all sessions of a network share eight times the rate of one', async () => {
  for (let n = 0; n < 30; n++) times(20, () => send(`session ${n}`))
  await arrived(600)
  expect((await quick('another', '198.51.100.7')).status).toBe(200)
  expect(inProgress).toHaveLength(8 * RATE + 1)
  now += 1_000
  await expect.poll(() => inProgress.length).toBe(2 * 8 * RATE + 1)
})

it('an IPv6 customer cannot gain more by using many /64 networks', async () => {
  for (let n = 0; n < 30; n++) times(20, () => send('', `2001:db8:1:${n}::1`))
  await arrived(600)
  expect((await quick('another', '198.51.100.7')).status).toBe(200)
  expect(inProgress).toHaveLength(8 * RATE + 1)
})

it('the bytes of a body are charged, so that the next request waits', async () => {
  const body = new Uint8Array(12 * 1024 * 1024)
  await fetch(`${url}/api/v1/x`, { method: 'POST', body, headers: from('hostile') })
  await expectWait('hostile')
})

/** Expects that the next request of a session does not start until the clock goes on, and those of others do. */
async function expectWait(session: string): Promise<void> {
  const before = received
  send(session)
  await arrived(before + 1)
  expect((await quick('neighbour')).status).toBe(200)
  expect(inProgress).toEqual(['hostile', 'neighbour'])
}

/** Declares a body and sends none of it. */
function declare(bytes: number, session: string): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  const lines = ['POST /api/v1/x HTTP/1.1', 'Host: x', 'X-Forwarded-For: 203.0.113.9', `X-Session: ${session}`]
  socket.write(`${lines.join('\r\n')}\r\nContent-Length: ${bytes}\r\n\r\n`)
  return socket
}

it('a declared body is charged before it is read, so that the next request does not overtake it', async () => {
  const upload = declare(6 * 1024 * 1024, 'hostile')
  await expect.poll(() => inProgress).toEqual(['hostile'])
  await expectWait('hostile')
  upload.destroy()
})

it.each([2 ** 31, 2 ** 32, 2 ** 52])(
  'a false length of %d bytes does not stop others of the network',
  async (bytes) => {
    const uploads = times(4, () => declare(bytes, 'hostile'))
    await expect.poll(() => inProgress).toContain('hostile')
    now += 1_000
    send('neighbour')
    await expect.poll(() => inProgress).toContain('neighbour')
    for (const upload of uploads) upload.destroy()
  },
)

/** Sends a handshake. Returns the lines of the answer. */
async function handshake(header: string): Promise<string[]> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13'
  const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade'
  socket.write(`GET /api/v1/ws HTTP/1.1\r\nHost: x\r\n${header}\r\n${upgrade}\r\n${key}\r\n\r\n`)
  const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])) as [unknown]
  socket.destroy()
  return String(data).split('\r\n')
}

it('handshakes of sockets wait their turn and are refused with 429 when too many wait', async () => {
  const answers = Array.from({ length: RUNNING + WAITING + 50 }, () => handshake('X-Session: hostile'))
  const refused = await Promise.any(
    answers.map(async (answer) => {
      const lines = await answer
      return lines[0]!.includes(' 429 ') ? lines : Promise.reject(new Error('admitted'))
    }),
  )
  expect(refused).toContain('Retry-After: 5')
})

it.each([
  ['https://evil.example', 403],
  ['null', 403],
  ['https://kinora.test', 101],
])('the handshake of a page of %s is answered with %d', async (origin, status) => {
  expect((await handshake(`Origin: ${origin}`))[0]).toContain(` ${status} `)
})
