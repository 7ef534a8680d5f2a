import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAudit } from '../programs/audit.ts'
import { buyPlan, confirm, openCheckout, postDev, read, soon, readStats as stats } from '../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import type { CurrentSubscription } from './contract.ts'

const DAY = 24 * 3_600_000
let kinora: TestKinora

beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora?.close())

const current = (user: TestUser) => read<CurrentSubscription>(user, '/subscriptions/current')
const dev = (path: string, body = {}) => postDev(kinora, path, body)
const advance = (ms: number) => dev('clock', { advance_ms: ms })
const requestUpgrade = (user: TestUser, tier: string) => openCheckout(kinora, user, tier)
const buy = (user: TestUser, tier: string) => buyPlan(kinora, user, tier)

describe('buying a plan', () => {
  it('has one open approval per plan, however often it is requested', async () => {
    const user = await kinora.newUser()
    const ids = await Promise.all([1, 2, 3].map(() => requestUpgrade(user, 'pro')))
    ids.push(await requestUpgrade(user, 'pro'))
    expect(new Set(ids).size).toBe(1)
    expect(await requestUpgrade(user, 'standard')).not.toBe(ids[0])
    expect(await requestUpgrade(await kinora.newUser(), 'pro')).not.toBe(ids[0])
    await dev(`paypal/${ids[0]}/cancel`)
    await confirm(user, ids[0]!)
    await soon(async () => expect(await requestUpgrade(user, 'pro')).not.toBe(ids[0]))
  })

  it('rejects an Idempotency-Key of more than 200 characters', async () => {
    const [user, headers] = [await kinora.newUser(), { 'idempotency-key': 'x'.repeat(201) }]
    const answer = await user.call('POST', '/subscriptions/upgrade', { new_tier: 'pro' }, headers)
    expect(answer.status).toBe(422)
  })

  it('grants credits once, on the completed sale, however often it is confirmed', async () => {
    const user = await kinora.newUser()
    const id = await requestUpgrade(user, 'pro')
    const unpaid = { current_tier: 'free', remaining_credits: 60 }
    await soon(async () => expect(await stats(user)).toMatchObject({ ...unpaid, current_status: 'pending' }))
    expect(await confirm(user, id)).toMatchObject({ current_tier: 'free', pending: true, outcome: 'unapproved' })
    await soon(async () => expect(await stats(user)).toMatchObject(unpaid))
    await dev(`paypal/${id}/approve`)
    await Promise.all([1, 2, 3].map(() => confirm(user, id)))
    const bought = { current_tier: 'pro', current_status: 'active', remaining_credits: 4560 }
    await soon(async () => expect(await stats(user)).toMatchObject(bought))
    await soon(async () => {
      const { invoices } = await read<{ invoices: object[] }>(user, '/subscriptions/invoices')
      expect(invoices).toEqual([
        expect.objectContaining({ tier: 'pro', amount: 4499, currency: 'USD', status: 'paid' }),
      ])
      const { entries } = await read<{ entries: object[] }>(user, '/credits/history')
      expect(entries).toEqual([
        expect.objectContaining({ kind: 'grant', amount: 4500, balance_after: 4560, reason: 'subscription' }),
        expect.objectContaining({ kind: 'grant', amount: 60, balance_after: 60, reason: 'free' }),
      ])
    })
  })

  it('returns all times in UTC with milliseconds', async () => {
    const user = await kinora.newUser()
    await buy(user, 'pro')
    await soon(async () => expect(await stats(user)).toMatchObject({ current_tier: 'pro' }))
    const calls = ['/subscriptions/stats', '/subscriptions/current', '/subscriptions/invoices', '/credits/history']
    const bodies = await Promise.all(calls.map(async (path) => JSON.stringify(await read(user, path))))
    const csv = await (await user.call('GET', '/credits/history.csv')).text()
    const times = [...bodies, csv].map((text) => text.match(/\d{4}-\d{2}-\d{2}T[^",]*/g) ?? [])
    for (const found of times) {
      expect(found.length).toBeGreaterThan(0)
      for (const time of found) expect(time).toMatch(/T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    }
  })

  it('unlocks the features of the plan', async () => {
    const user = await kinora.newUser()
    const fullHd = { ...GENERATION, resolution: '1080P' }
    expect((await user.call('POST', '/videos/generate', fullHd)).status).toBe(403)
    await buy(user, 'standard')
    expect((await user.call('POST', '/videos/generate', fullHd)).status).toBe(202)
  })

  it('answers a repeated request with its video, also when the plan that allowed it has ended', async () => {
    const user = await kinora.newUser()
    const id = await buy(user, 'standard')
    const key = { 'idempotency-key': crypto.randomUUID() }
    const generate = () => user.call('POST', '/videos/generate', { ...GENERATION, resolution: '1080P' }, key)
    const { task } = (await (await generate()).json()) as { task: { id: string } }
    await dev(`paypal/${id}/refund`)
    await soon(async () => expect(await stats(user)).toMatchObject({ current_tier: 'free' }))
    const repeated = await generate()
    expect([repeated.status, await repeated.json()]).toMatchObject([202, { task: { id: task.id } }])
  })

  it('asks the payment provider up to thirty times a minute for a user', async () => {
    const [user, other] = [await kinora.newUser(), await kinora.newUser()]
    const confirm = async (by: typeof user) =>
      (await by.call('POST', '/subscriptions/confirm', { subscription_id: 'I-NOTHING' })).status
    const statuses = await Promise.all(Array.from({ length: 62 }, () => confirm(user)))
    // The calls may fall into two minutes.
    expect(new Set(statuses)).toEqual(new Set([404, 429]))
    expect(await confirm(other)).toBe(404)
  })

  it('cannot be confirmed by another user', async () => {
    const [user, other] = [await kinora.newUser(), await kinora.newUser()]
    const id = await requestUpgrade(user, 'pro')
    expect((await other.call('POST', '/subscriptions/confirm', { subscription_id: id })).status).toBe(404)
    expect((await user.call('POST', '/subscriptions/confirm', { subscription_id: 'I-NOTHING' })).status).toBe(404)
  })

  it('rejects invalid requests with the matching status', async () => {
    const user = await kinora.newUser()
    const upgrade = (body: object) => user.call('POST', '/subscriptions/upgrade', body)
    expect((await upgrade({ new_tier: 'free' })).status).toBe(422)
    expect((await upgrade({ new_tier: 'pro', billing_cycle: 'yearly' })).status).toBe(422)
    expect((await user.call('GET', '/subscriptions/current')).status).toBe(404)
    expect((await user.call('POST', '/subscriptions/cancel')).status).toBe(404)
    await buy(user, 'pro')
    expect((await upgrade({ new_tier: 'pro' })).status).toBe(409)
  })

  it('rejects forged webhooks', async () => {
    const body = JSON.stringify({ id: 'WH-1', event_type: 'PAYMENT.SALE.COMPLETED', resource: { id: 'S' } })
    const forged = { 'paypal-transmission-id': 'x', 'paypal-transmission-time': 'y', 'paypal-transmission-sig': 'AAAA' }
    for (const headers of [{}, forged])
      expect((await fetch(`${kinora.url}/webhooks/paypal`, { method: 'POST', headers, body })).status).toBe(401)
  })
})

describe('the lifecycle of a plan', () => {
  it('announces renewals, renews, and suspends a plan whose payment fails', async () => {
    const user = await kinora.newUser()
    const id = await buy(user, 'standard')
    const mails = async () => (await kinora.mails(user.email)).map(({ subject }) => subject)
    await soon(async () => expect(await current(user)).toMatchObject({ tier: 'standard', status: 'active' }))
    const { current_period_start, current_period_end } = await current(user)
    const month = Date.parse(current_period_end!) - Date.parse(current_period_start!)
    await advance(month - 2 * DAY)
    await soon(async () => expect((await mails())[0]).toContain('renews on'))
    await advance(3 * DAY)
    await soon(async () => expect(await stats(user)).toMatchObject({ remaining_credits: 2060, total_credits: 2060 }))
    await dev(`paypal/${id}/fail-payment`)
    await soon(async () => expect((await current(user)).grace_until).not.toBeNull())
    await soon(async () => expect((await mails())[0]).toContain('did not go through'))
    await soon(async () =>
      expect(await stats(user)).toMatchObject({ current_tier: 'standard', current_status: 'active' }),
    )
    await advance(8 * DAY)
    await soon(async () => expect(await stats(user)).toMatchObject({ current_status: 'suspended' }))
    await dev(`paypal/${id}/renew`)
    await soon(async () =>
      expect(await stats(user)).toMatchObject({ current_status: 'active', remaining_credits: 3060 }),
    )
    // A full refund ends the plan, which forfeits the credits of its other sales.
    await dev(`paypal/${id}/refund`)
    await soon(async () => expect(await stats(user)).toMatchObject({ current_tier: 'free', remaining_credits: 60 }))
  })

  it('goes on with a new agreement when the payment provider has ended or suspended the old one', async () => {
    const user = await kinora.newUser()
    await kinora.context.payments.cancelAgreement(await buy(user, 'pro'), 'The buyer cancelled it there.')
    await soon(async () => expect(await current(user)).toMatchObject({ status: 'cancelled', can_reactivate: false }))
    expect((await user.call('POST', '/subscriptions/reactivate')).status).toBe(409)
    const id = await buy(user, 'pro')
    await soon(async () => expect(await current(user)).toMatchObject({ next_tier: 'pro' }))
    await advance(32 * DAY)
    await soon(async () =>
      expect(await stats(user)).toMatchObject({ current_status: 'active', remaining_credits: 9060 }),
    )
    await dev(`paypal/${id}/fail-payment`)
    await soon(async () => expect((await current(user)).grace_until).not.toBeNull())
    await advance(32 * DAY)
    await soon(async () => expect(await stats(user)).toMatchObject({ current_status: 'suspended' }))
    await buy(user, 'pro')
    await soon(async () =>
      expect(await stats(user)).toMatchObject({ current_status: 'active', remaining_credits: 13_560 }),
    )
  })

  it('is over at once when it is cancelled while nothing pays for it', async () => {
    const user = await kinora.newUser()
    const id = await buy(user, 'standard')
    await dev(`paypal/${id}/fail-payment`)
    await soon(async () => expect((await current(user)).grace_until).not.toBeNull())
    await advance(32 * DAY)
    await soon(async () => expect(await stats(user)).toMatchObject({ current_status: 'suspended' }))
    expect((await user.call('POST', '/subscriptions/cancel')).status).toBe(200)
    expect(await stats(user)).toMatchObject({ current_tier: 'free' })
    await soon(async () => expect(await stats(user)).toMatchObject({ remaining_credits: 60 }))
  })

  it('ends a cancelled plan with its period and forfeits its credits, unless it is reactivated', async () => {
    const user = await kinora.newUser()
    const id = await buy(user, 'pro')
    expect((await user.call('POST', '/subscriptions/cancel')).status).toBe(200)
    await soon(async () =>
      expect(await current(user)).toMatchObject({ status: 'cancelled', cancel_at_period_end: true, tier: 'pro' }),
    )
    const paused = async (is: string) => expect((await kinora.context.payments.getAgreement(id))?.status).toBe(is)
    await soon(() => paused('suspended'))
    expect((await user.call('POST', '/subscriptions/reactivate')).status).toBe(200)
    await soon(async () =>
      expect(await stats(user)).toMatchObject({ current_status: 'active', remaining_credits: 4560 }),
    )
    await soon(() => paused('active'))
    const reason = 'too expensive for me'
    await user.call('POST', '/subscriptions/cancel', { reason, cancel_at_period_end: true })
    await soon(() => paused('suspended'))
    await advance(32 * DAY)
    await soon(async () =>
      expect(await stats(user)).toEqual({
        current_tier: 'free',
        current_status: 'expired',
        remaining_credits: 60,
        total_credits: 60,
        used_credits: 0,
        next_reset_date: null,
      }),
    )
    await soon(() => paused('cancelled'))
    expect((await user.call('POST', '/subscriptions/reactivate')).status).toBe(404)
  })

  it('switches to a larger plan immediately, to a smaller one at the end of the period', async () => {
    const user = await kinora.newUser()
    const first = await buy(user, 'standard')
    const second = await requestUpgrade(user, 'ultimate')
    expect(await confirm(user, second)).toMatchObject({ current_tier: 'standard', pending: true })
    await dev(`paypal/${second}/approve`)
    expect(await confirm(user, second)).toMatchObject({ pending: false })
    await soon(async () =>
      expect(await stats(user)).toMatchObject({ current_tier: 'ultimate', remaining_credits: 16_060 }),
    )
    await soon(async () => expect((await kinora.context.payments.getAgreement(first))?.status).toBe('cancelled'))
    const third = await buy(user, 'standard')
    await soon(async () =>
      expect(await current(user)).toMatchObject({ tier: 'ultimate', status: 'cancelled', next_tier: 'standard' }),
    )
    await advance(32 * DAY)
    await soon(async () =>
      expect(await stats(user)).toMatchObject({
        current_tier: 'standard',
        current_status: 'active',
        remaining_credits: 17_060,
      }),
    )
    await soon(async () => expect((await kinora.context.payments.getAgreement(second))?.status).toBe('cancelled'))
    expect((await kinora.context.payments.getAgreement(third))?.status).toBe('active')
  })
})

describe('the ledger after these purchases', () => {
  it('passes an audit while Kinora runs', async () => {
    let printed = ''
    const print = (text: string) => {
      printed += text
    }
    const env = { DATA_DIR: kinora.dataDir }
    const code = await runAudit(['verify', '--json'], { env, print, printError: print })
    expect([printed.match(/"wrong": .*/g), code]).toEqual([null, 0])
    expect(JSON.parse(printed).totals).toMatchObject({ owed: 0 })
    expect((await kinora.newUser()).userId).not.toBe('')
  })
})
