import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { subscriptionDeps } from '../app/workflows.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { buyPlan } from '../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora?.close())

/** Opens an account with a function that spends credits, and one that returns its mails, newest first. */
async function openAccount() {
  const user = await kinora.newUser()
  const { creditsSpent } = subscriptionDeps(kinora.context, kinora.services, () => kinora.url)
  const spend = async (amount: number) => {
    const taskId = uuid7()
    const context = { commandId: taskId, actor: 'system', correlationId: taskId }
    const hold = { userId: user.userId, taskId, amount, openLimit: 2 }
    const { position } = await kinora.services.credits.hold(hold, context).send()
    await kinora.services.credits.capture(user.userId, taskId).send()
    await kinora.context.changes.waitFor(['creditBalances'], position, 10_000)
    await creditsSpent(user.userId)
  }
  const nextDay = async () => {
    await kinora.context.advanceCalendar!(24 * 3_600_000)
    await creditsSpent(user.userId)
  }
  return { user, spend, nextDay, mails: () => kinora.mails(user.email) }
}

it('mails a user once a day when a fifth of the credits, or none, is left', async () => {
  const { spend, nextDay, mails } = await openAccount()
  const subjects = async () => (await mails()).map(({ subject }) => subject)
  const low = 'Your Kinora credits are running low'

  await spend(47)
  expect(await subjects()).not.toContain(low)
  await spend(1)
  await eventually(async () => expect(await subjects()).toContain(low))
  await spend(12)
  expect(await subjects()).toHaveLength(2)
  await nextDay()
  await eventually(async () => expect((await subjects())[0]).toBe('Your Kinora credits are used up'))
})

it.each([
  ['standard', ' A larger plan gives you more credits every month.'],
  ['ultimate', ''],
])('mails a subscriber of %s the date of the next credits, while some come', async (tier, offer) => {
  const { user, spend, nextDay, mails } = await openAccount()
  await buyPlan(kinora, user, tier)
  const stats = await eventually(async () => {
    const stats = await kinora.services.subscriptionReads.stats(user.userId)
    expect(stats).toMatchObject({ current_tier: tier, next_reset_date: expect.any(String) })
    expect(stats.remaining_credits).toBeGreaterThanOrEqual(1000)
    return stats
  })
  const date = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(stats.next_reset_date!),
  )
  const receives = (body: string) =>
    eventually(async () => expect((await mails())[0]?.text).toContain(`\n\n${body}\n\nView`))

  await spend(stats.remaining_credits - 7)
  await receives(`Credits left: 7. Your next credits arrive on ${date}.${offer}`)
  await user.call('POST', '/subscriptions/cancel', {})
  await nextDay()
  await receives('Credits left: 7.')
})
