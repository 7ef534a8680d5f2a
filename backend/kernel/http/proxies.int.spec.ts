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
