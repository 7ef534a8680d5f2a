import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { subscriptionDeps } from '../app/workflows.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora?.close())

it('mails a user once a day when a fifth of the credits, or none, is left', async () => {
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
  const subjects = async () => (await kinora.mails(user.email)).map(({ subject }) => subject)
  const low = 'Your Kinora credits are running low'

  await spend(47)
  expect(await subjects()).not.toContain(low)
  await spend(1)
  await vi.waitFor(async () => expect(await subjects()).toContain(low), 10_000)
  await spend(12)
  expect(await subjects()).toHaveLength(2)
  await kinora.context.advanceCalendar!(24 * 3_600_000)
  await creditsSpent(user.userId)
  await vi.waitFor(async () => expect((await subjects())[0]).toBe('Your Kinora credits are used up'), 10_000)
})
