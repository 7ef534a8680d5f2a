import { afterEach, beforeEach, expect, it } from 'vitest'
import { creditAccount } from '#backend/credits/creditAccount.decider.ts'
import type { CreditAccountEvent } from '#backend/credits/events.ts'
import { type PaypalDouble, startPaypalDouble } from '#backend/providers/payments/paypal/testing/paypalDouble.ts'
import { paypalOf, REQUEST, startPaypalProcess, userId } from '../testing/paypalProcess.ts'
import { applyWebhook } from './applyWebhook.ts'
import { createSubscriptionActivities, type SubscriptionActivityDeps } from './subscriptionActivities.ts'

let double: PaypalDouble
let agreementId: string
let world: Awaited<ReturnType<typeof startPaypalProcess>>
beforeEach(async () => {
  double = await startPaypalDouble()
  agreementId = (await paypalOf(double).createAgreement(REQUEST)).agreementId
  double.model.approve(agreementId)
  world = await startPaypalProcess(double, agreementId)
})
afterEach(() => double.close())

const reconcile = () => {
  const openAgreements = async () => [{ userId, agreementIds: [agreementId] }]
  const deps = { ...world.deps, openAgreements, usersWithExpiredLots: async () => [], ordersWithoutFee: async () => [] }
  return createSubscriptionActivities(deps as unknown as SubscriptionActivityDeps).reconcile({})
}

/** Delivers the webhooks that PayPal has sent since the last call. */
async function deliver() {
  for (const { headers, body } of double.model.events.splice(0).map((event) => double.sign(event)))
    await applyWebhook(world.deps, (await world.provider.verifyWebhook(headers, body))!.subject)
}
const loseWebhooks = () => double.model.events.splice(0)

/** Returns the credits left and owed, and how many reversals are recorded. */
async function summary() {
  const ledger = world.store.log.filter(({ stream }) => stream === `creditAccount-${userId}`)
  const account = (ledger as unknown as CreditAccountEvent[]).reduce(creditAccount.evolve, creditAccount.initial)
  const left = account.lots.reduce((sum, lot) => sum + lot.left, 0)
  return { left, debt: account.debt, reversals: (await world.known()).reversals.length }
}

it('finds a partial refund whose webhook was lost, and books it once', async () => {
  await deliver()
  double.model.refund(agreementId, 40)
  const late = loseWebhooks()
  await reconcile()
  expect(await summary()).toEqual({ left: 2_700, debt: 0, reversals: 1 })
  double.model.events.push(...late)
  await deliver()
  await reconcile()
  expect(await summary()).toEqual({ left: 2_700, debt: 0, reversals: 1 })
})

it('grants a partially refunded sale whose own webhook was lost, and claims the refund', async () => {
  double.model.refund(agreementId, 40)
  loseWebhooks()
  await reconcile()
  expect(await summary()).toEqual({ left: 2_700, debt: 0, reversals: 1 })
})

it('finds all parts of a refund, and ends the plan once they add up to the sale', async () => {
  await deliver()
  for (const percent of [40, 60]) double.model.refund(agreementId, percent)
  loseWebhooks()
  await reconcile()
  expect(await summary()).toMatchObject({ left: 0, debt: 0 })
  expect((await world.known()).agreements).toMatchObject([{ status: 'ended', endCause: 'cancelled' }])
})

it.each([true, false])('finds a whole refund if the list of refunds can be read: %s', async (mayReport) => {
  await deliver()
  double.model.mayReport = mayReport
  double.model.refund(agreementId)
  loseWebhooks()
  await reconcile()
  expect(await summary()).toEqual({ left: 0, debt: 0, reversals: 1 })
  expect([...world.raised]).toEqual(mayReport ? [] : ['refunds_not_listed'])
})

it('gives the credits of a chargeback back if its webhook was lost and its dispute is won', async () => {
  await deliver()
  double.model.reverse(agreementId)
  loseWebhooks()
  await reconcile()
  expect(await summary()).toMatchObject({ left: 0, debt: 0 })
  const disputeId = double.model.dispute(agreementId)
  double.model.now += 1_000
  double.model.dispute(agreementId, { disputeId, outcome_code: 'RESOLVED_SELLER_FAVOUR' })
  await deliver()
  await reconcile()
  expect(await summary()).toMatchObject({ left: 4_500, debt: 0 })
})

it('clears the alert about a sale with the wrong price once it is refunded', async () => {
  await deliver()
  double.model.bill(agreementId, '9.99')
  await deliver()
  await reconcile()
  const saleId = double.model.of(agreementId).transactions.at(-1)!.id
  expect([...world.raised]).toEqual([`refund_proposed ${saleId}`])
  double.model.refund(agreementId)
  await reconcile()
  expect([...world.raised]).toEqual([])
  expect(await summary()).toMatchObject({ left: 4_500, debt: 0 })
})
