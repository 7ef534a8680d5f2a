import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '#backend/testing/eventually.ts'
import { stopwatch } from '../../testing/stopwatch.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import type { Database } from '../postgres/orm.ts'
import { drain } from './drain.ts'
import { createRealtime, isSocketRequest, type Realtime } from './realtime.ts'

let db: TemporaryDatabase
let server: Server
let realtime: Realtime
let gate: Promise<void> | undefined
let isAway = false
const userId = crypto.randomUUID()
const sessionId = crypto.randomUUID()
const ended = new Set<string>()

beforeAll(async () => {
  db = await startTemporaryDatabase()
  const slow = {
    em: {
      fork: () => ({
        execute: async (sql: string, parameters: unknown[]) => {
          await gate
          if (isAway) throw new Error('The database is away.')
          return db.database.em.fork().execute(sql, parameters)
        },
      }),
    },
  } as unknown as Database
  realtime = createRealtime(slow, async (id) => !ended.has(id))
  server = createServer({ shouldUpgradeCallback: isSocketRequest }, (_, response) => response.end('alive'))
  realtime.attach(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  realtime.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await db.close()
})

const port = () => (server.address() as AddressInfo).port
const open = (token: string) => new WebSocket(`ws://127.0.0.1:${port()}/api/v1/ws?token=${token}`)
/** Resolves when the server has read what was sent before. */
const roundTrip = () => fetch(`http://127.0.0.1:${port()}`, { headers: { connection: 'close' } })
const closed = (socket: WebSocket) => new Promise<number>((resolve) => socket.on('close', resolve))
const said = (socket: WebSocket) =>
  new Promise<string>((resolve) => socket.once('message', (data) => resolve(`${data}`)))
const pong = async (socket: WebSocket) => {
  if (socket.readyState !== WebSocket.OPEN) await opened(socket)
  const answer = said(socket)
  socket.send('ping')
  return answer
}
const opened = (socket: WebSocket) => new Promise((resolve) => socket.on('open', resolve))

describe('a handshake that is refused', () => {
  it('leaves no connection, although the client keeps its side open', async () => {
    const http = createServer()
    realtime.attach(http, () => Promise.reject(new Error('busy')))
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const client = connect({ port: (http.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => void client.destroy())
    client.write('GET /api/v1/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    const answer = await new Promise((resolve) => client.once('data', (data) => resolve(String(data))))
    expect(answer).toMatch(/^HTTP\/1.1 503 /)
    await expect.poll(() => new Promise((resolve) => http.getConnections((_, count) => resolve(count)))).toBe(0)
    http.close()
  })
})

describe('a socket', () => {
  it('is closed with 4001 for an unknown, missing or expired token', async () => {
    const old = await realtime.issueToken(userId, sessionId)
    await db.pool.query(`update socket_token set expires_at = now() - interval '1 second'`)
    const codes = await Promise.all(['', 'x', old].map((token) => closed(open(token))))
    expect(codes).toEqual([4001, 4001, 4001])
    expect(realtime.hasClients()).toBe(false)
  })

  it('uses its token once', async () => {
    const token = await realtime.issueToken(userId, sessionId)
    const sockets = [open(token), open(token), open(token)]
    const outcomes = await Promise.all(
      sockets.map((socket) => {
        socket.on('open', () => socket.send('ping'))
        return Promise.race([said(socket), closed(socket)])
      }),
    )
    expect(outcomes.toSorted()).toEqual([4001, 4001, '{"type":"pong"}'])
    for (const socket of sockets) socket.close()
    await expect.poll(() => realtime.hasClients()).toBe(false)
  })

  it('answers only pings, including one sent before authentication', async () => {
    const token = await realtime.issueToken(userId, sessionId)
    const authenticating = Promise.withResolvers<void>()
    gate = authenticating.promise
    const socket = open(token)
    const heard: string[] = []
    socket.on('message', (data) => heard.push(String(data)))
    await opened(socket)
    for (const text of ['{"type":"ping"}', 'nonsense', 'null', '{"type":"other"}', 'ping']) socket.send(text)
    await roundTrip()
    gate = undefined
    authenticating.resolve()
    await expect.poll(() => heard).toHaveLength(2)
    socket.send('{"type":"ping"}')
    await expect.poll(() => heard).toEqual(Array(3).fill('{"type":"pong"}'))
    socket.close()
    await expect.poll(() => realtime.isOnline(userId)).toBe(false)
  })

  it('receives the messages of its user, on every socket of the user, and no others', async () => {
    const other = crypto.randomUUID()
    const tokens = await Promise.all([userId, userId, other].map((id) => realtime.issueToken(id, sessionId)))
    const [a, b, c] = tokens.map(open) as [WebSocket, WebSocket, WebSocket]
    const ready = [a, b, c].map(async (socket) => {
      const pong = said(socket)
      await opened(socket)
      socket.send('ping')
      return pong
    })
    await Promise.all(ready)
    const heard = Promise.all([said(a), said(b), said(c)])
    realtime.send(other, { to: 'other' })
    realtime.send(userId, { to: 'user' })
    expect(await heard).toEqual(['{"to":"user"}', '{"to":"user"}', '{"to":"other"}'])
    for (const socket of [a, b, c]) socket.close()
    await expect.poll(() => realtime.hasClients()).toBe(false)
  })

  it('that closes during authentication is not kept', async () => {
    await db.pool.query('truncate socket_token')
    const token = await realtime.issueToken(userId, sessionId)
    const destroyClient = Promise.withResolvers<void>()
    gate = destroyClient.promise
    const socket = open(token)
    await opened(socket)
    socket.terminate()
    await roundTrip()
    gate = undefined
    destroyClient.resolve()
    await eventually(async () => {
      const { rows } = await db.pool.query('select 1 from socket_token where expires_at > now()')
      expect(rows).toEqual([])
    })
    await roundTrip()
    expect(realtime.isOnline(userId)).toBe(false)
  })

  it('closes with its session, and no other', async () => {
    const other = crypto.randomUUID()
    const [own, another] = await Promise.all(
      [sessionId, other].map(async (session) => open(await realtime.issueToken(userId, session))),
    )
    await Promise.all([own, another].map((socket) => pong(socket!)))
    realtime.endSessions([sessionId])
    expect(await closed(own!)).toBe(1012)
    expect(await pong(another!)).toBe('{"type":"pong"}')
    another!.close()
    await expect.poll(() => realtime.hasClients()).toBe(false)
  })

  it('is refused when its session ended after the token was issued', async () => {
    const session = crypto.randomUUID()
    const token = await realtime.issueToken(userId, session)
    ended.add(session)
    expect(await closed(open(token))).toBe(4001)
    await expect.poll(() => realtime.hasClients()).toBe(false)
  })

  it('is told to try again, and not that it is refused, while the database is away', async () => {
    const token = await realtime.issueToken(userId, sessionId)
    isAway = true
    onTestFinished(() => {
      isAway = false
    })
    expect(await closed(open(token))).toBe(1013)
  })

  it('is refused when the user has 20 sockets', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => realtime.issueToken(userId, sessionId)))
    const sockets = tokens.map(open)
    await Promise.all(sockets.map(pong))
    expect(await closed(open(await realtime.issueToken(userId, sessionId)))).toBe(1013)
    for (const socket of sockets) socket.close()
    await expect.poll(() => realtime.hasClients()).toBe(false)
  })

  it('that sends too many messages is closed', async () => {
    const socket = open(await realtime.issueToken(userId, sessionId))
    await pong(socket)
    for (let n = 0; n < 100; n++) socket.send('ping')
    expect(await closed(socket)).toBe(1008)
    await expect.poll(() => realtime.isOnline(userId)).toBe(false)
  })

  it('that exceeds the message size is closed; the server survives', async () => {
    const socket = open(await realtime.issueToken(userId, sessionId))
    await opened(socket)
    socket.send('x'.repeat(5_000))
    expect(await closed(socket)).toBe(1009)
    await expect.poll(() => realtime.isOnline(userId)).toBe(false)
  })
})

describe('tokens that nobody used', () => {
  it('are removed at most once a minute', async () => {
    const left = async () => (await db.pool.query('select 1 from socket_token where expires_at < now()')).rowCount
    const expire = () => db.pool.query(`update socket_token set expires_at = now() - interval '1 second'`)
    const expired: number[] = []
    const watch = { expired: (tokens: number) => void expired.push(tokens), arrived: () => {} }
    const issuing = createRealtime(db.database, async () => true, watch)
    await issuing.issueToken(userId, sessionId)
    await expire()
    await issuing.issueToken(userId, sessionId)
    expect(await left()).toBeGreaterThan(0)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000)
    await issuing.issueToken(userId, sessionId)
    clock.mockRestore()
    expect(await left()).toBe(0)
    expect(expired.at(-1)).toBeGreaterThan(0)
    await issuing.close()
  })
})

describe('an upgrade', () => {
  it.each([
    ['websocket', '//'],
    ['websocket', '/other'],
    ['websocket', '/api/v1/ws/more'],
    ['websocket', 'http://['],
    ['websocket', '*'],
    ['h2c', '/api/v1/ws'],
  ])('to %s at %s gets the answer of a request that asks for none', async (protocol, address) => {
    const raw = connect(port(), '127.0.0.1')
    onTestFinished(() => void raw.destroy())
    raw.write(`GET ${address} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`)
    const answer = await new Promise((resolve) => {
      raw.once('data', (data) => resolve(String(data)))
      raw.once('close', () => resolve(''))
    })
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('sockets of a process that stops', () => {
  /** Starts a process of its own. Returns a function that opens a socket of a user. */
  async function start() {
    const own = createRealtime(db.database, async () => true)
    const http = createServer()
    own.attach(http)
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void http.close())
    const { port } = http.address() as AddressInfo
    const openOne = async (user: string) =>
      new WebSocket(`ws://127.0.0.1:${port}/api/v1/ws?token=${await own.issueToken(user, sessionId)}`)
    return { own, http, openOne }
  }

  it('do not delay it if their client is out of reach', async () => {
    const { own, http, openOne } = await start()
    const socket = await openOne(userId)
    onTestFinished(() => socket.terminate())
    await pong(socket)
    socket.pause()
    const took = stopwatch()
    await drain(http, own, 500)
    took.within(5_000)
  })

  it('are disconnected some at a time, with 1012', async () => {
    const users = Array.from({ length: 50 }, () => crypto.randomUUID())
    const { own, openOne } = await start()
    const sockets = await Promise.all(users.map(openOne))
    await Promise.all(sockets.map(pong))
    const ends = sockets.map(closed)
    const stillOpen = Promise.race(ends).then(
      () => sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length,
    )
    await own.close()
    expect(await Promise.all(ends)).toEqual(sockets.map(() => 1012))
    expect(await stillOpen).toBeGreaterThan(0)
  })
})
