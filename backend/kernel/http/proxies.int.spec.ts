import { get } from 'node:http'
import { expect, it, vi } from 'vitest'
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
  await vi.waitFor(async () => expect(await stored()).toEqual([{ ip: address }]), 5_000)
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
  const statusFor = (host: string) =>
    new Promise((resolve) =>
      get(`${kinora.url}/dev/mailbox`, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)),
    )
  expect(
    await Promise.all(['evil.test', 'evil.test:80', 'localhost:1', '127.0.0.1', '[::1]:3000'].map(statusFor)),
  ).toEqual([404, 404, 200, 200, 200])
  await kinora.close()
})
