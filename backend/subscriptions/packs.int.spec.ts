import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAudit } from '../programs/audit.ts'
import { buyPlan, postDev, read, soon, readStats as stats } from '../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'

const DAY = 24 * 3_600_000
let kinora: TestKinora

beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora?.close())

const dev = (path: string, body = {}) => postDev(kinora, path, body)
const json = async <T>(answer: Promise<Response>) => (await answer).json() as Promise<T>
const order = (user: TestUser, pack: string, body: object = {}, headers = {}) =>
  json<{ data: { approval_url: string; order_id: string } }>(
    user.call('POST', `/credits/packs/${pack}/buy`, body, headers),
  ).then(({ data }) => data)
const confirm = (user: TestUser, id: string) => user.call('POST', `/credits/orders/${id}/confirm`)
const history = async (user: TestUser) =>
  (await read<{ entries: { reason: string; amount: number }[] }>(user, '/credits/history')).entries.map(
    ({ reason, amount }) => [reason, amount],
  )

describe('packs of credits', () => {
  it('are listed for everybody, with their prices in cents', async () => {
    const answer = await fetch(`${kinora.url}/api/v1/credits/packs`)
    expect(await answer.json()).toEqual({
      packs: [
        { id: 'small', credits: 300, bonus: 0, price: 499, currency: 'USD' },
        { id: 'medium', credits: 1_000, bonus: 100, price: 1_499, currency: 'USD' },
        { id: 'large', credits: 3_000, bonus: 400, price: 4_499, currency: 'USD' },
      ],
    })
  })

  it('are granted once when they are paid, however often that is confirmed, and appear among the payments', async () => {
    const user = await kinora.newUser()
    const { order_id: id, approval_url: url } = await order(user, 'medium')
    expect(url).toContain(`/dev/paypal/approve/${id}`)
    expect(await json(confirm(user, id))).toMatchObject({ status: 'unpaid', stats: { remaining_credits: 60 } })
    await dev(`paypal/${id}/approve`)
    const answers = await Promise.all([1, 2, 3].map(() => json<{ status: string }>(confirm(user, id))))
    expect(answers.map(({ status }) => status)).toContain('paid')
    await soon(async () => expect(await stats(user)).toMatchObject({ current_tier: 'free', remaining_credits: 1_160 }))
    expect(await history(user)).toEqual([
      ['pack', 1_100],
      ['free', 60],
    ])
    await soon(async () =>
      expect(await read(user, '/subscriptions/invoices')).toMatchObject({
        invoices: [{ tier: null, pack: 'medium', amount: 1_499, currency: 'USD', credits: 1_100, status: 'paid' }],
      }),
    )
  })

  it('are granted by the webhook alone when the buyer does not come back', async () => {
    const user = await kinora.newUser()
    const { order_id: id } = await order(user, 'small')
    await dev(`paypal/${id}/approve`)
    await soon(async () => expect(await stats(user)).toMatchObject({ remaining_credits: 360 }))
  })

  it('stay when a plan ends, which forfeits its own credits alone', async () => {
    const user = await kinora.newUser()
    await buyPlan(kinora, user, 'standard')
    const { order_id: id } = await order(user, 'small')
    await dev(`paypal/${id}/approve`)
    await soon(async () => expect(await stats(user)).toMatchObject({ remaining_credits: 1_360 }))
    await user.call('POST', '/subscriptions/cancel', { cancel_at_period_end: false })
    await soon(async () => expect(await stats(user)).toMatchObject({ current_tier: 'free', remaining_credits: 360 }))
  })

  it('go back with their refund', async () => {
    const user = await kinora.newUser()
    const { order_id: id } = await order(user, 'small')
    await dev(`paypal/${id}/approve`)
    await soon(async () => expect(await stats(user)).toMatchObject({ remaining_credits: 360 }))
    await dev(`paypal/${id}/refund`)
    await soon(async () => expect(await stats(user)).toMatchObject({ remaining_credits: 60 }))
    await soon(async () =>
      expect(await read(user, '/subscriptions/invoices')).toMatchObject({ invoices: [{ status: 'refunded' }] }),
    )
  })

  it('are ordered once for one Idempotency-Key, and twice without', async () => {
    const user = await kinora.newUser()
    const key = { 'idempotency-key': 'once' }
    const ids = [await order(user, 'small', {}, key), await order(user, 'small', {}, key), await order(user, 'small')]
    expect(new Set(ids.map(({ order_id }) => order_id)).size).toBe(2)
  })

  it('are confirmed by their buyer alone', async () => {
    const [buyer, other] = [await kinora.newUser(), await kinora.newUser()]
    const { order_id: id } = await order(buyer, 'small')
    await dev(`paypal/${id}/approve`)
    expect((await confirm(other, id)).status).toBe(404)
    expect((await confirm(other, 'O-UNKNOWN')).status).toBe(404)
    expect(await stats(other)).toMatchObject({ remaining_credits: 60 })
  })

  it.each([
    ['an unknown pack', 'huge', {}, 404, 'not_found'],
    ['an unknown currency', 'small', { currency: 'EUR' }, 422, 'invalid_input'],
    ['a currency that no provider here takes', 'small', { currency: 'CNY' }, 422, 'no_such_provider'],
    ['a provider that is not set up', 'small', { provider: 'stripe' }, 422, 'no_such_provider'],
  ])('are refused with %s', async (_, pack, body, status, code) => {
    const user = await kinora.newUser()
    const answer = await user.call('POST', `/credits/packs/${pack}/buy`, body)
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code])
  })

  it('may be ordered 20 times without paying, until the orders lapse', async () => {
    const user = await kinora.newUser()
    for (let n = 0; n < 20; n++) await order(user, 'small')
    const refused = await user.call('POST', '/credits/packs/small/buy')
    expect(refused.status).toBe(429)
    const seconds = Number(refused.headers.get('retry-after'))
    expect([seconds > 2.9 * 86_400, seconds <= 3 * 86_400]).toEqual([true, true])
    await dev('clock', { advance_ms: 4 * DAY })
    const open = () =>
      kinora.context.pool.query('select open_orders from current_subscription where id = $1', [user.userId])
    await soon(async () => expect((await open()).rows).toEqual([{ open_orders: [] }]))
    expect((await user.call('POST', '/credits/packs/small/buy')).status).toBe(200)
  })

  it('leave a ledger that passes an audit, which compares each sale with the provider', async () => {
    const audit = async () => {
      let printed = ''
      const print = (text: string) => {
        printed += text
      }
      const args = ['verify', '--with-provider', '--json']
      const code = await runAudit(args, { env: { DATA_DIR: kinora.dataDir }, print, printError: print })
      return [printed.match(/"wrong": .*/g), code]
    }
    const user = await kinora.newUser()
    const { order_id: id } = await order(user, 'small')
    await dev(`paypal/${id}/approve`)
    await soon(async () => expect(await stats(user)).toMatchObject({ remaining_credits: 360 }))
    expect(await audit()).toEqual([null, 0])
    const change = (by: number) =>
      kinora.context.pool.query('update sandbox_sale set amount_cents = amount_cents + $1 where order_id = $2', [
        by,
        id,
      ])
    await change(1)
    expect(await audit()).toEqual([[expect.stringContaining('with another amount')], 1])
    await change(-1)
  })
})
