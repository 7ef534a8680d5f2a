import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { httpCall } from './httpCall.ts'

/** Starts a server that names the connection of each request, counted from 1. */
async function openServer(answer: (connection: number) => RequestListener = () => (_, response) => response.end()) {
  const connections: unknown[] = []
  const server = createServer((request, response) => {
    if (!connections.includes(request.socket)) connections.push(request.socket)
    const connection = connections.indexOf(request.socket) + 1
    response.setHeader('X-Connection', connection)
    answer(connection)(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => void server.close())
  const limits = { connectTimeoutMs: 60_000, timeoutMs: 60_000, signal: new AbortController().signal }
  return async (method: 'GET' | 'POST', body?: string) => {
    const url = new URL(`http://127.0.0.1:${port}/`)
    return Number((await httpCall(url, { method, headers: {}, body, ...limits })).headers['x-connection'])
  }
}

it('keeps a connection for reads, and opens one for each write', async () => {
  const call = await openServer()
  expect([
    await call('GET'),
    await call('GET'),
    await call('POST', '{}'),
    await call('POST', '{}'),
    await call('GET'),
  ]).toEqual([1, 1, 2, 3, 1])
})

it('repeats a read on a new connection when a kept one closes before its answer', async () => {
  const seen = vi.fn()
  let calls = 0
  const call = await openServer((connection) => (request, response) => {
    seen(connection)
    if (++calls === 2) request.socket.destroy()
    else response.end()
  })
  expect([await call('GET'), await call('GET')]).toEqual([1, 2])
  expect(seen.mock.calls).toEqual([[1], [1], [2]])
})

it('fails when a new connection closes before an answer', async () => {
  const call = await openServer(() => (request) => request.socket.destroy())
  await expect(call('GET')).rejects.toMatchObject({ code: 'ECONNRESET' })
})

it('fails when the server switches to another protocol', async () => {
  const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'
  const call = await openServer(() => (request) => void request.socket.write(switched))
  await expect(call('POST', '{}')).rejects.toThrow('without an answer')
})

it.each([
  ['GET', 500, 3],
  ['GET', 503, 3],
  ['GET', 429, 1],
  ['GET', 404, 1],
  ['POST', 500, 1],
] as const)(
  'sends a %s that the server answers with %i to it %i times, and returns the last answer',
  async (...row) => {
    const [method, status, times] = row
    let calls = 0
    const call = await openServer(() => (_, response) => response.writeHead(status, { 'X-Calls': ++calls }).end())
    await call(method)
    expect(calls).toBe(times)
  },
)

it('returns the answer of a server whose fault has passed', async () => {
  let calls = 0
  const call = await openServer(() => (_, response) => response.writeHead(++calls < 3 ? 502 : 200).end())
  await call('GET')
  await call('GET')
  expect(calls).toBe(4)
})
