import { expect, it } from 'vitest'
import { createCredits } from '#backend/credits/credits.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { StreamBroken } from '#backend/kernel/eventsourcing/pure/applyStored.ts'
import { UnknownEvent } from '#backend/kernel/eventsourcing/pure/eventSchemas.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { type PaymentProvider, PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { createTills } from '#backend/subscriptions/tills.ts'
import { MoneyWorld } from '#proof/money/moneyWorld.ts'
import { PaymentModel } from '#proof/money/paymentModel.ts'
import { sendCommand } from './sendCommand.ts'
import { createSubscriptionActivities, type SubscriptionActivityDeps } from './subscriptionActivities.ts'

const OPEN = [
  { userId: 'user 1', agreementIds: ['agreement 1', 'agreement 2'] },
  { userId: 'user 2', agreementIds: ['agreement 3'] },
]

/** Reconciles the agreements and expired lots of users; `failing` throws for the first of each. */
async function reconcile(failing: () => Error, open = OPEN) {
  const done: string[] = []
  const unlessFirst = (name: string) => {
    if (name.endsWith('1')) throw failing()
    done.push(name)
  }
  const deps = {
    handle: createHandle(createMemoryEventStore()),
    calendar: () => 0,
    openAgreements: async () => open,
    payments: {
      getAgreement: async (id: string) => unlessFirst(id),
      listReversals: async () => ({ reversals: [], refusedBy: [], failures: [] }),
      reaches: () => true,
    },
    alerts: { clear: async () => {} },
    usersWithExpiredLots: async () => ['user 1', 'user 2'],
    ordersWithoutFee: async () => [],
    credits: { expire: async (userId: string) => unlessFirst(userId), forfeitSales: async () => {} },
  }
  const outcome = await createSubscriptionActivities(deps as unknown as SubscriptionActivityDeps)
    .reconcile({})
    .catch((error) => error)
  return { done: done.toSorted(), outcome }
}

it.each([StreamBroken, UnknownEvent])('skips users whose streams fail with %o', async (Unreadable) => {
  const { done, outcome } = await reconcile(() => new Unreadable('quarantined'))
  expect(done).toEqual(['agreement 2', 'agreement 3', 'user 2'])
  expect(outcome).toBeUndefined()
})

it('asks a provider with an outage no more, goes on with the others, and is retried', async () => {
  const more = Array.from({ length: 4 }, (_, n) => ({ userId: `user ${n + 3}`, agreementIds: [`agreement ${n + 4}`] }))
  const ofStripe = { userId: 'user 7', agreementIds: ['stripe:agreement 8'] }
  const down = () => new PaymentProviderDown('PayPal does not answer')
  const { done, outcome } = await reconcile(down, [...OPEN, ...more, ofStripe])
  // Those of the first four users are asked about at the same time.
  expect(done).toEqual(['agreement 3', 'agreement 4', 'agreement 5', 'stripe:agreement 8', 'user 2'])
  expect(outcome).toMatchObject({ message: 'PayPal does not answer' })
})

it('reads the other agreements when the provider refuses one, and fails after them', async () => {
  const { done, outcome } = await reconcile(() => new Error('PayPal refused GET: HTTP 403'))
  expect(done).toEqual(['agreement 2', 'agreement 3', 'user 2'])
  expect(outcome).toMatchObject({ message: 'PayPal refused GET: HTTP 403' })
})

const now = Date.UTC(2026, 0, 31)
const [at, userId] = [new Date(now).toISOString(), 'user']

/** A user's agreement that is withdrawn and then approved at the provider, and the activities' dependencies. */
async function approvedLate() {
  const payments = new PaymentModel(() => now)
  const handle = createHandle(createMemoryEventStore())
  const findOrigin = async () => undefined
  const { agreementId } = await payments.createAgreement({ userId, tier: 'pro' })
  const price = { priceCents: PLANS.pro.priceCents, currency: 'USD', startsAt: null }
  await sendCommand(
    { handle, findOrigin },
    { type: 'RequestSubscription', userId, agreementId, tier: 'pro', ...price, at },
  )
  await sendCommand(
    { handle, findOrigin },
    { type: 'CancelSubscription', userId, encryptedReason: null, atPeriodEnd: true, at },
  )
  payments.approve(agreementId)
  payments.accounts.get(agreementId)!.sales.pop()

  const alerts = new Set<string>()
  const expired: string[] = []
  const deps = {
    handle,
    findOrigin,
    payments: payments.tills('paypal'),
    calendar: () => now,
    credits: { ...createCredits(handle, () => now), expire: async (id: string) => void expired.push(id) },
    alerts: {
      raise: async (code: string) => void alerts.add(code),
      clear: async (code: string) => void alerts.delete(code),
    },
    openAgreements: async () => [{ userId, agreementIds: [agreementId] }],
    usersWithExpiredLots: async () => [userId],
    ordersWithoutFee: async () => [],
  } as unknown as SubscriptionActivityDeps
  return { deps, payments, agreementId, alerts, expired }
}

it('cancels an agreement at the provider that the buyer approved after it was withdrawn, even if no webhook arrives', async () => {
  const { deps, payments, agreementId } = await approvedLate()
  await createSubscriptionActivities(deps).reconcile({})
  expect(payments.accounts.get(agreementId)?.status).toBe('cancelled')
})

it('asks the other providers when one refuses its key, and fails after them', async () => {
  const { deps, payments, agreementId } = await approvedLate()
  const refused = {
    name: 'stripe',
    currencies: [],
    listReversals: () => Promise.reject(new Error('Stripe refused GET /v1/refunds: HTTP 401')),
  }
  const tills = createTills([refused as unknown as PaymentProvider, payments.till('paypal')])
  const outcome = createSubscriptionActivities({ ...deps, payments: tills }).reconcile({})
  await expect(outcome).rejects.toThrow('HTTP 401')
  expect(payments.accounts.get(agreementId)?.status).toBe('cancelled')
})

it('closes an abandoned agreement that the provider has deleted', async () => {
  const { deps, payments, agreementId } = await approvedLate()
  payments.accounts.delete(agreementId)
  const closed = async () => (await deps.handle.read(subscription, userId)).state.agreements[0]?.closed
  await createSubscriptionActivities(deps).reconcile({})
  expect(await closed()).toBe(false)
  const fourDaysLater = () => now + 4 * 24 * 3_600_000
  await createSubscriptionActivities({ ...deps, calendar: fourDaysLater }).reconcile({})
  expect(await closed()).toBe(true)
})

it('asks about each agreement of a user only to read and to settle it, however many are open', async () => {
  const { deps, payments, agreementId } = await approvedLate()
  const openAgreements = async () => [{ userId, agreementIds: [agreementId, 'I-2', 'I-3'] }]
  payments.accounts.get(agreementId)!.status = 'pending'
  const asked: string[] = []
  const { getAgreement } = payments
  payments.getAgreement = async (id) => {
    asked.push(id)
    return getAgreement.call(payments, id)
  }
  await createSubscriptionActivities({ ...deps, openAgreements }).reconcile({})
  expect(asked.toSorted()).toEqual([agreementId, agreementId, 'I-2', 'I-3'])
})

it('leaves agreements of an earlier provider as they are while payments are off, and alerts the operator', async () => {
  const { deps, payments, agreementId, alerts, expired } = await approvedLate()
  const off = createSubscriptionActivities({ ...deps, payments: createTills([]) })
  await off.reconcile({})
  expect(await off.settleSubscription({ userId })).toBe(null)
  expect([[...alerts], expired, payments.accounts.get(agreementId)?.status]).toEqual([
    ['agreements_unreachable'],
    [userId],
    'active',
  ])
  // The provider is configured again.
  await createSubscriptionActivities(deps).reconcile({})
  expect([[...alerts], payments.accounts.get(agreementId)?.status]).toEqual([[], 'cancelled'])
})

it('finds the first sale of an agreement although the clock is ahead of the provider’s, and its webhooks were lost', async () => {
  const world = new MoneyWorld()
  await world.request('pro')
  world.now -= 10 * 60_000
  world.provider.approve(world.agreements[0]!)
  world.now += 10 * 60_000
  world.provider.webhooks.length = 0
  await world.reconcile()
  expect(world.account.lots).toMatchObject([{ source: 'subscription', left: PLANS.pro.credits }])
})

it('asks again about packs whose fee was not told, at providers that are set up', async () => {
  const { deps } = await approvedLate()
  const sold = { amountCents: 499, currency: 'USD' }
  const order = { userId, agreementId: 'stripe:cs_1', provider: 'stripe', pack: 'small', credits: 300, ...sold, at }
  await sendCommand(deps, { type: 'RequestPack', ...order })
  const sale = { id: 'stripe:pi_1', ...sold, soldAt: at }
  await sendCommand(deps, {
    type: 'ReportPackSale',
    userId,
    agreementId: order.agreementId,
    saleId: sale.id,
    ...sold,
    soldAt: at,
    at,
  })
  const asked: string[] = []
  const payments = {
    ...deps.payments,
    reaches: (id: string) => id !== 'gone:1',
    collectOrder: async (id: string) => {
      asked.push(id)
      return { userId, sale: { ...sale, feeCents: 44 } }
    },
  }
  const ordersWithoutFee = async () => ['gone:1', order.agreementId]
  await createSubscriptionActivities({ ...deps, payments, ordersWithoutFee }).reconcile({})
  expect(asked).toEqual([order.agreementId])
  expect((await deps.handle.read(subscription, userId)).state.packs).toMatchObject([{ saleId: sale.id, feeCents: 44 }])
})
