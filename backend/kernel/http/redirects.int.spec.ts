import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redirects } from './redirects.ts'

let server: Server
beforeAll(async () => {
  const app = new Koa().use(redirects).use((ctx) => {
    ctx.body = 'a page'
  })
  server = await new Promise<Server>((resolve) => {
    const listening: Server = app.listen(0, '127.0.0.1', () => resolve(listening))
  })
})
afterAll(() => server.close())

const answerTo = async (address: string, method = 'GET') => {
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}${address}`, { redirect: 'manual', method })
  return [answer.status, answer.headers.get('location')]
}

describe('redirects', () => {
  it.each([
    ['/pricing', 301, '/#pricing-section'],
    ['/zh/pricing', 301, '/zh/#pricing-section'],
    ['/pricing/', 301, '/#pricing-section'],
    ['/pricing?utm_source=news', 301, '/?utm_source=news#pricing-section'],
    ['/subscription', 301, '/profile#subscription'],
    ['/zh/subscription', 301, '/zh/profile#subscription'],
    ['/profile/subscription', 301, '/profile#subscription'],
    ['/zh/profile/subscription', 301, '/zh/profile#subscription'],
    ['/payment/cancel', 302, '/#pricing-section'],
    ['/payment/cancel?subscription_id=I-1&token=EC-2', 302, '/#pricing-section'],
    ['/zh/payment/cancel', 302, '/zh/#pricing-section'],
    ['/subscription/cancel', 302, '/#pricing-section'],
    ['/zh/subscription/cancel', 302, '/zh/#pricing-section'],
  ])('%s returns %i to %s', async (address, status, location) => {
    expect(await answerTo(address)).toEqual([status, location])
    expect(await answerTo(address, 'HEAD')).toEqual([status, location])
  })

  it.each(['/', '/zh', '/faq', '/profile', '/payment/success', '/pricings', '/zhpricing', '/toString', '//pricing'])(
    '%s is left to others',
    async (address) => {
      expect((await answerTo(address))[0]).toBe(200)
    },
  )

  it('apply to GET and HEAD only', async () => {
    expect((await answerTo('/pricing', 'POST'))[0]).toBe(200)
  })
})
