import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAllowanceActivities } from '#workflows/credits/allowanceActivities.ts'
import { usersWithoutAllowance } from '../app/usersWithoutAllowance.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { runAudit } from '../programs/audit.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'
import { monthEnd, monthOf } from './allowances.contract.ts'
import type { CreditEntry } from './contract.ts'
import { createCredits } from './credits.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ env: { PAYMENTS: 'off', MONTHLY_CREDITS: '100' } })
})
afterAll(() => kinora?.close())

const now = () => new Date(kinora.context.calendar()).toISOString()
const nextMonth = () =>
  kinora.context.advanceCalendar!(Date.parse(monthEnd(now())) - kinora.context.calendar() + 3_600_000)
const entriesOf = async (user: TestUser) => {
  const { entries } = (await (await user.call('GET', '/credits/history')).json()) as { entries: CreditEntry[] }
  return entries.map(({ kind, amount, reason }) => [kind, amount, reason])
}
const statsOf = async (user: TestUser) => (await (await user.call('GET', '/subscriptions/stats')).json()) as object

/** Returns the sweep of another process, with its own cache of accounts. */
const otherProcess = (onGrant: () => void = () => {}) => {
  const { context } = kinora
  const credits = createCredits(createHandle(context.store), context.calendar)
  return createAllowanceActivities({
    monthlyCredits: 100,
    usersWithoutAllowance: () => usersWithoutAllowance(context),
    credits: {
      async grantAllowance(userId, amount) {
        onGrant()
        await credits.grantAllowance(userId, amount)
      },
    },
  })
}
const allowancesOf = async (userId: string) => {
  const sql = `select data ->> 'lotId' as lot from event where stream = $1 and data ->> 'source' = 'allowance' order by id`
  return (await kinora.context.pool.query(sql, [`creditAccount-${userId}`])).rows.map(({ lot }) => lot as string)
}

describe('the monthly allowance', () => {
  it('comes with the account, is spent first, and expires when the next month brings a new one', async () => {
    const user = await kinora.newUser()
    await expect.poll(() => statsOf(user)).toMatchObject({ remaining_credits: 160, next_reset_date: monthEnd(now()) })
    const adjustmentId = uuid7()
    const by = { commandId: adjustmentId, actor: 'operator:olga', correlationId: adjustmentId }
    await kinora.services.credits.adjust(user.userId, { adjustmentId, amount: -30, reason: 'a mistake' }, by)
    await nextMonth()
    await expect
      .poll(() => entriesOf(user))
      .toEqual([
        ['grant', 100, 'allowance'],
        ['expiry', -70, 'expired'],
        ['adjustment', -30, 'a mistake'],
        ['grant', 100, 'allowance'],
        ['grant', 60, 'free'],
      ])
    expect(await statsOf(user)).toMatchObject({ remaining_credits: 160, total_credits: 160, used_credits: 0 })
  })

  it('is granted once by processes that sweep together, and completed after a crash', async () => {
    const users = [await kinora.newUser(), await kinora.newUser(), await kinora.newUser()]
    await nextMonth()
    let granted = 0
    const crashing = otherProcess(() => {
      if (++granted === 2) throw new Error('crash')
    })
    await Promise.allSettled([
      crashing.grantAllowances({}),
      otherProcess().grantAllowances({}),
      otherProcess().grantAllowances({}),
    ])
    await otherProcess().grantAllowances({})
    const month = monthOf(now())
    for (const { userId } of users)
      expect((await allowancesOf(userId)).filter((lot) => lot === `allowance-${month}`)).toHaveLength(1)
  })

  it('is not granted to an erased account, nor in the same month to the next account of its mailbox', async () => {
    const user = await kinora.newUser()
    const before = await allowancesOf(user.userId)
    await kinora.services.erasures.request(user.userId)
    const again = await kinora.newUser(user.email)
    await otherProcess().grantAllowances({})
    expect(await allowancesOf(again.userId)).toEqual([])
    await nextMonth()
    await otherProcess().grantAllowances({})
    await expect.poll(() => allowancesOf(again.userId)).toEqual([`allowance-${monthOf(now())}`])
    expect(await allowancesOf(user.userId)).toEqual(before)
  })

  it('is proven by the audit', async () => {
    let printed = ''
    const print = (text: string) => (printed += text)
    const env = { DATA_DIR: kinora.dataDir }
    expect(await runAudit(['verify'], { env, print, printError: print }), printed).toBe(0)
  })
})
