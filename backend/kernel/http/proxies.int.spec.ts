import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { startTestKinora } from '../../testing/testKinora.ts'

it.each([
  ['0', '127.0.0.1'],
  ['1', '198.51.100.9'],
  ['2', '203.0.113.7'],
])('with %s trusted proxies, the client address is %s', async (TRUSTED_PROXIES, address) => {
  const kinora = await startTestKinora({ env: { TRUSTED_PROXIES, HOST: '127.0.0.1' } })
  // The first address is the one the client claims.
  const headers = { 'x-forwarded-for': '192.0.2.1, 203.0.113.7, 198.51.100.9' }
  const visit = { path: '/faq', timestamp: new Date().toISOString(), session_id: 'one' }
  expect((await kinora.post('/analytics/page-view', visit, headers)).status).toBe(202)
  const stored = async () => (await kinora.context.pool.query('select host(ip) as ip from page_view')).rows
  await eventually(async () => expect(await stored()).toEqual([{ ip: address }]))
  await kinora.close()
})

it('warns once about a proxy when none is trusted', async () => {
  const lines: string[] = []
  const kinora = await startTestKinora({
    env: { LOG_LEVEL: 'warn' },
    logTo: { write: (line: string) => void lines.push(line) },
  })
  for (let n = 0; n < 2; n++) await fetch(`${kinora.url}/healthz`, { headers: { 'x-forwarded-for': '192.0.2.1' } })
  await kinora.close()
  expect(lines.filter((line) => line.includes('untrusted proxy'))).toHaveLength(1)
})

it('hides development pages from requests that name another host', async () => {
  const kinora = await startTestKinora()
  const statusFor = (host: string, path = '/dev/mailbox') =>
    new Promise((resolve) =>
      get(kinora.url + path, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)),
    )
  expect(
    await Promise.all(
      ['evil.test', 'evil.test:80', 'localhost:1', '127.0.0.1', '[::1]:3000'].map((host) => statusFor(host)),
    ),
  ).toEqual([404, 404, 200, 200, 200])
  expect(await statusFor('evil.test', '/DEV/mailbox.json')).toBe(404)
  await kinora.close()
})

it.each([
  ['an upgrade to another protocol', 'GET /api/v1/status', 'Connection: Upgrade, close\r\nUpgrade: h2c\r\n', 200],
  ['a socket of another path', 'GET /api/v1/nothing', 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n', 404],
  ['a tunnel', 'CONNECT kinora.test:443', '', 405],
])('answers a request for %s, so that no proxy takes the server for dead', async (_, line, headers, status) => {
  const kinora = await startTestKinora()
  const socket = connect(Number(new URL(kinora.url).port), 'localhost')
  socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`)
  expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  await kinora.close()
})

it('survives clients that ask for a tunnel and reset the connection', async () => {
  const kinora = await startTestKinora()
  for (let n = 0; n < 20; n++) {
    const socket = connect(Number(new URL(kinora.url).port), 'localhost')
    socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', () => socket.resetAndDestroy())
    await once(socket, 'close')
  }
  expect((await fetch(`${kinora.url}/healthz`)).status).toBe(200)
  await kinora.close()
})
