import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runAudit } from '../programs/audit.ts'
import type { WorkStats } from '../tasks/contract.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'
import type { CurrentSubscription, Stats } from './contract.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora?.close())

const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 100 })
const read = async <T>(user: TestUser, path: string) => (await (await user.call('GET', path)).json()) as T
const post = async <T>(user: TestUser, path: string, body: object) =>
  (await (await user.call('POST', path, body)).json()) as T
const stats = (user: TestUser) => read<Stats>(user, '/subscriptions/stats')

async function openCheckout(user: TestUser, tier: string): Promise<string> {
  const { data } = await post<{ data: { subscription_id: string } }>(user, '/subscriptions/upgrade', { new_tier: tier })
  return data.subscription_id
}

async function approve(user: TestUser, id: string): Promise<unknown> {
  await fetch(`${kinora.url}/dev/paypal/${id}/approve`, { method: 'POST' })
  return post(user, '/subscriptions/confirm', { subscription_id: id })
}

describe('two open checkouts', () => {
  it('end on the plan approved last, and refund the other payment with a mail', { timeout: 60_000 }, async () => {
    const user = await kinora.newUser()
    const [pro, ultimate] = [await openCheckout(user, 'pro'), await openCheckout(user, 'ultimate')]
    expect(await approve(user, pro)).toMatchObject({ current_tier: 'pro', outcome: 'started' })
    expect(await approve(user, ultimate)).toMatchObject({ current_tier: 'ultimate', outcome: 'started' })
    await soon(async () => expect(await stats(user)).toMatchObject({ remaining_credits: 15_060 }))
    await soon(async () => {
      const { invoices } = await read<{ invoices: { tier: string; status: string }[] }>(user, '/subscriptions/invoices')
      expect(new Map(invoices.map(({ tier, status }) => [tier, status]))).toEqual(
        new Map([
          ['pro', 'refunded'],
          ['ultimate', 'paid'],
        ]),
      )
      expect((await kinora.mails(user.email)).map(({ subject }) => subject)).toContain(
        'We refunded a payment of USD 44.99',
      )
    })
    let printed = ''
    const env = { DATA_DIR: kinora.dataDir }
    const print = (text: string) => (printed += text)
    expect(await runAudit(['verify', '--with-provider'], { env, print, printError: print }), printed).toBe(0)
  })
})

describe('a plan that is cancelled immediately', () => {
  it('says before what is lost, and proposes the refund of the unused share', { timeout: 60_000 }, async () => {
    const user = await kinora.newUser()
    await approve(user, await openCheckout(user, 'ultimate'))
    await soon(async () =>
      expect(await read<CurrentSubscription>(user, '/subscriptions/current')).toMatchObject({
        plan_credits: 15_000,
        refundable: true,
      }),
    )
    const answer = await post(user, '/subscriptions/cancel', { cancel_at_period_end: false })
    expect(answer).toEqual({ success: true, refund_proposed: true })
    await soon(async () => expect(await stats(user)).toMatchObject({ current_tier: 'free', remaining_credits: 60 }))
  })
})

describe('the overview', () => {
  it('shows one number of used credits, and a plan id per paid tier', async () => {
    const user = await kinora.newUser()
    const [{ used_credits }, { credits_used }] = [await stats(user), await read<WorkStats>(user, '/videos/stats')]
    expect(credits_used).toBe(used_credits)
    const plans = await read<{ tier: string; paypal_plan_id_monthly: string | null }[]>(user, '/subscriptions/plans')
    expect(plans.map((plan) => [plan.tier, plan.paypal_plan_id_monthly])).toEqual([
      ['free', null],
      ['standard', 'P-SANDBOX-STANDARD'],
      ['pro', 'P-SANDBOX-PRO'],
      ['ultimate', 'P-SANDBOX-ULTIMATE'],
    ])
  })
})
