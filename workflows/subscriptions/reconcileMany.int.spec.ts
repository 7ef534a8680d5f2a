import { afterEach, beforeEach, expect, it } from 'vitest'
import { type PaypalDouble, startPaypalDouble } from '#backend/providers/payments/paypal/testing/paypalDouble.ts'
import { PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { createTills } from '#backend/subscriptions/tills.ts'
import { paypalOf, REQUEST, startPaypalProcess } from '../testing/paypalProcess.ts'
import { sendCommand } from './sendCommand.ts'
import { createSubscriptionActivities, type SubscriptionActivityDeps } from './subscriptionActivities.ts'

const USERS = Array.from({ length: 40 }, (_, index) => `user-${index + 1}`)

let double: PaypalDouble
beforeEach(async () => {
  double = await startPaypalDouble()
})
afterEach(() => double.close())

/** Starts a process with an approved agreement of each user, of which no webhook has arrived. */
async function startWithAgreements() {
  const payments = paypalOf(double)
  const agreements: { userId: string; agreementIds: [string] }[] = []
  for (const userId of USERS) {
    const { agreementId } = await payments.createAgreement({ ...REQUEST, requestId: userId, userId })
    double.model.approve(agreementId)
    agreements.push({ userId, agreementIds: [agreementId] })
  }
  const { deps, store } = await startPaypalProcess(double, agreements[0]!.agreementIds[0])
  const at = double.model.at
  const price = { tier: 'pro', priceCents: PLANS.pro.priceCents, currency: 'USD', startsAt: null, at } as const
  for (const { userId, agreementIds } of agreements.slice(1))
    await sendCommand(deps, { type: 'RequestSubscription', userId, agreementId: agreementIds[0], ...price })
  double.calls.length = 0

  let [calls, mostCalls] = [0, 0]
  const getAgreement = async (id: string) => {
    mostCalls = Math.max(mostCalls, ++calls)
    return payments.getAgreement(id).finally(() => calls--)
  }
  const { reconcile } = createSubscriptionActivities({
    ...deps,
    payments: createTills([{ ...payments, getAgreement }]),
    openAgreements: async () => agreements,
    usersWithExpiredLots: async () => [],
    ordersWithoutFee: async () => [],
  } as unknown as SubscriptionActivityDeps)
  const payers = () => new Set(store.log.filter(({ type }) => type === 'SubscriptionPaid').map(({ stream }) => stream))
  const asked = () => double.calls.filter(({ call }) => call.startsWith('GET /v1/billing') && !call.endsWith('ons'))
  return { reconcile, asked, payers, mostCalls: () => mostCalls }
}

it('asks about the agreements of a few users at the same time', async () => {
  const { reconcile, payers, mostCalls } = await startWithAgreements()
  await reconcile({})
  expect([payers().size, mostCalls()]).toEqual([USERS.length, 4])
})

it('continues where the last attempt reached the rate limit', async () => {
  const { reconcile, asked, payers } = await startWithAgreements()
  const limitAfter = (answers: number) => {
    double.fault = () => (asked().length > answers ? { status: 429 } : undefined)
  }
  limitAfter(25)
  await expect(reconcile({})).rejects.toThrow(PaymentProviderDown)
  const refused = asked().length - 25
  double.fault = () => undefined
  await reconcile({})
  expect(payers().size).toBe(USERS.length)
  expect(asked().length).toBeLessThanOrEqual(USERS.length + refused + 4)
  // The next day asks about all of them.
  double.calls.length = 0
  await reconcile({})
  expect(asked().length).toBe(USERS.length)
})

it('stops when the process does', async () => {
  const { reconcile, asked } = await startWithAgreements()
  const stop = new AbortController()
  double.fault = () => void (asked().length >= 10 && stop.abort())
  await expect(reconcile({}, { signal: stop.signal })).rejects.toThrow('aborted')
  expect(asked().length).toBeLessThan(USERS.length / 2)
})
