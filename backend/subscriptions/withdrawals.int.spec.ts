import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAudit } from '../programs/audit.ts'
import { buyPlan, postDev, read, soon, readStats as stats } from '../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import { CONSENT, type Invoice } from './contract.ts'

const DAY = 24 * 3_600_000
let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora?.close())

const invoiceOf = async (user: TestUser) =>
  (await read<{ invoices: Invoice[] }>(user, '/subscriptions/invoices')).invoices[0]!
const withdraw = async (user: TestUser) =>
  user.call('POST', '/subscriptions/withdraw', { payment: (await invoiceOf(user)).payment })
const mailsTo = async ({ email }: TestUser, subject: string) =>
  (await kinora.mails(email)).filter((mail) => mail.subject === subject)
const alertAbout = async (payment: string) =>
  (
    await kinora.context.pool.query('select detail from operator_alert where code = $1 and cleared_at is null', [
      `refund_proposed ${payment}`,
    ])
  ).rows

describe('the withdrawal from a contract', () => {
  it('refunds a plan that was not used, ends it and mails the time and the content', async () => {
    const user = await kinora.newUser()
    await buyPlan(kinora, user, 'standard')
    await soon(async () => expect(await stats(user)).toMatchObject({ remaining_credits: 1_060 }))
    const { payment, withdrawable_until, paid_at } = await invoiceOf(user)
    expect(Date.parse(withdrawable_until!) - Date.parse(paid_at)).toBe(14 * DAY)
    const answers = [await withdraw(user), await withdraw(user)]
    for (const answer of answers)
      expect(await answer.json()).toEqual({ used_credits: 0, refund: 1_299, currency: 'USD' })
    await soon(async () =>
      expect(await invoiceOf(user)).toMatchObject({ status: 'refunded', withdrawable_until: null }),
    )
    await soon(async () => expect(await stats(user)).toMatchObject({ current_tier: 'free', remaining_credits: 60 }))
    await soon(async () => expect(await mailsTo(user, 'We received your withdrawal')).toHaveLength(1))
    const [mail] = await mailsTo(user, 'We received your withdrawal')
    expect(mail!.text).toMatch(
      new RegExp(
        `payment ${payment} of USD 12\\.99.*20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC.*refund is USD 12\\.99`,
        's',
      ),
    )
    expect(await alertAbout(payment)).toEqual([])
  })

  it('proposes the unused share to the operator, without the credits of open tasks', async () => {
    const user = await kinora.newUser()
    await buyPlan(kinora, user, 'standard')
    await soon(async () => expect(await stats(user)).toMatchObject({ remaining_credits: 1_060 }))
    const ordered = await user.call('POST', '/videos/generate', GENERATION, { 'idempotency-key': crypto.randomUUID() })
    expect(ordered.status).toBe(202)
    expect(await (await withdraw(user)).json()).toEqual({ used_credits: 30, refund: 1_260, currency: 'USD' })
    const { payment } = await invoiceOf(user)
    const detail = expect.stringContaining('30 of its credits were used: refund 12.6 USD')
    await soon(async () => expect(await alertAbout(payment)).toEqual([{ detail }]))
    await soon(async () => expect(await stats(user)).toMatchObject({ current_tier: 'free', remaining_credits: 60 }))
  })

  it('has the recorded consent to begin before its time is over', async () => {
    const user = await kinora.newUser()
    await user.call('POST', '/credits/packs/small/buy', { consent: CONSENT })
    const consent = `select data->>'consent' as consent from event where type = 'PackRequested' and data->>'userId' = $1`
    const { rows } = await kinora.context.pool.query(consent, [user.userId])
    expect(rows).toEqual([{ consent: CONSENT }])
  })

  it('is over after 14 days', async () => {
    const user = await kinora.newUser()
    await buyPlan(kinora, user, 'standard')
    await soon(async () => expect((await invoiceOf(user)).withdrawable_until).not.toBeNull())
    await postDev(kinora, 'clock', { advance_ms: 14 * DAY + 60_000 })
    expect((await invoiceOf(user)).withdrawable_until).toBeNull()
    const answer = await withdraw(user)
    expect([answer.status, await answer.json()]).toEqual([409, expect.objectContaining({ code: 'withdrawal_over' })])
  })

  it('leaves a ledger that agrees', async () => {
    let printed = ''
    const env = { DATA_DIR: kinora.dataDir }
    const code = await runAudit(['verify'], { env, print: (text) => (printed += text), printError: console.error })
    expect([code, printed]).toEqual([0, expect.any(String)])
  })
})
