import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAudit } from '../programs/audit.ts'
import type { WorkStats } from '../tasks/contract.ts'
import { approve, buyPlan, openCheckout, read, soon, readStats as stats } from '../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { CurrentSubscription } from './contract.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora?.close())

describe('two open checkouts', () => {
  it('end on the plan approved last, and refund the other payment with a mail', async () => {
    const user = await kinora.newUser()
    const [pro, ultimate] = [await openCheckout(kinora, user, 'pro'), await openCheckout(kinora, user, 'ultimate')]
    expect(await approve(kinora, user, pro)).toMatchObject({ current_tier: 'pro', outcome: 'started' })
    expect(await approve(kinora, user, ultimate)).toMatchObject({ current_tier: 'ultimate', outcome: 'started' })
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
  it('says before what is lost, and proposes the refund of the unused share', async () => {
    const user = await kinora.newUser()
    await buyPlan(kinora, user, 'ultimate')
    await soon(async () =>
      expect(await read<CurrentSubscription>(user, '/subscriptions/current')).toMatchObject({
        plan_credits: 15_000,
        refundable: true,
      }),
    )
    const answer = await user.call('POST', '/subscriptions/cancel', { cancel_at_period_end: false })
    expect(await answer.json()).toEqual({ success: true, refund_proposed: true })
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
