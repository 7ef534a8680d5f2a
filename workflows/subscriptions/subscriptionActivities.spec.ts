import { beforeEach, describe, expect, it, vi } from 'vitest'
import { StreamBroken } from '#backend/kernel/eventsourcing/pure/applyStored.ts'
import { PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'
import { ended, on, requested, running, userId } from '#backend/subscriptions/testing/subscriptionFacts.ts'
import { SettleWorld } from '../testing/settleWorld.ts'
import { runSubscriptionLifecycle } from './runSubscriptionLifecycle.workflow.ts'
import { createSubscriptionActivities, type SubscriptionActivityDeps } from './subscriptionActivities.ts'

const HOUR_MS = 3_600_000
const REFUSED = 'PayPal refused GET: HTTP 403'

let world: SettleWorld
let activities: ReturnType<typeof createSubscriptionActivities>
let done: string[]
let failure: Error

beforeEach(async () => {
  failure = new Error(REFUSED)
  world = new SettleWorld()
  world.now = Date.parse(on('01-30'))
  world.provider.knows('active')
  const { getAgreement } = world.provider
  world.provider.getAgreement = async (id) => {
    if (id === 'foreign') throw failure
    return getAgreement.call(world.provider, id)
  }
  await world.given(requested('foreign'), ended('foreign', 'withdrawn'), ...running)
  done = []
  activities = createSubscriptionActivities({
    ...world.deps,
    inbox: {
      find: async () => ({ subject: { kind: 'agreement', agreementId: 'A' }, receivedAt: 0 }),
      close: async (id: string, outcome: string) => void done.push(`${id} ${outcome}`),
    },
    signal: async ({ type }: { type: string }) => void done.push(type),
    mailOnce: async (_: string, key: string) => void done.push(key),
  } as unknown as SubscriptionActivityDeps)
})

describe('an agreement that the provider refuses to show', () => {
  it('keeps no reminder of another agreement from its user, and is tried again', async () => {
    await expect(activities.settleSubscription({ userId })).rejects.toThrow(REFUSED)
    expect(done).toEqual([`renewal A ${on('02-01')}`])
  })

  it('keeps no webhook of another agreement open, because the lifecycle tries again', async () => {
    expect(await activities.processWebhook({ webhookId: 'n' })).toBe('processed')
    expect(done).toEqual([runSubscriptionLifecycle.type, 'n processed'])
  })

  it('keeps a webhook open whose credits cannot be granted', async () => {
    world.deps.credits.grantSale = async () => {
      throw new StreamBroken('creditAccount-user')
    }
    await expect(activities.processWebhook({ webhookId: 'n' })).rejects.toThrow(StreamBroken)
    expect(done).toEqual([])
  })

  it('keeps a webhook open if the provider is down', async () => {
    failure = new PaymentProviderDown('down')
    await expect(activities.processWebhook({ webhookId: 'n' })).rejects.toThrow('down')
    expect(done).toEqual([])
  })
})

it('a webhook that the provider does not confirm is tried for three days, then closed and reported', async () => {
  const receivedAt = Date.UTC(2026, 10, 28)
  const world = new SettleWorld()
  await world.given(...running)
  world.provider.knows('active')
  const done: string[] = []
  const subject = { kind: 'sale', sale: { id: 'unlisted', agreementId: 'A' } }
  const { processWebhook } = createSubscriptionActivities({
    ...world.deps,
    inbox: {
      find: async () => ({ subject, receivedAt }),
      close: async (_: string, outcome: string) => void done.push(outcome),
    },
    onUnmatchedWebhook: (id: string) => void done.push(`${id} unmatched`),
  } as unknown as SubscriptionActivityDeps)
  const clock = vi.spyOn(Date, 'now')
  for (const hours of [0, 1, 71]) {
    clock.mockReturnValue(receivedAt + hours * HOUR_MS)
    expect(await processWebhook({ webhookId: 'n' })).toBe('later')
  }
  expect(done).toEqual([])
  clock.mockReturnValue(receivedAt + 72 * HOUR_MS)
  expect(await processWebhook({ webhookId: 'n' })).toBe('processed')
  clock.mockRestore()
  expect(done).toEqual(['n unmatched', 'unmatched'])
})
