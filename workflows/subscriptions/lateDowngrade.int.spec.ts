import { afterEach, beforeEach, expect, it } from 'vitest'
import { creditAccount } from '#backend/credits/creditAccount.decider.ts'
import { type PaypalDouble, startPaypalDouble } from '#backend/providers/payments/paypal/testing/paypalDouble.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { paypalOf, REQUEST, startPaypalProcess, userId } from '../testing/paypalProcess.ts'
import { applyWebhook } from './applyWebhook.ts'
import { sendCommand } from './sendCommand.ts'
import { settleSubscription } from './settleSubscription.ts'

const DAY_MS = 24 * 3_600_000
let double: PaypalDouble
let world: Awaited<ReturnType<typeof startPaypalProcess>>
let [larger, smaller] = ['', '']

/** Pays for a plan and requests a smaller one, which the buyer approves a day after the larger one was renewed. */
beforeEach(async () => {
  double = await startPaypalDouble()
  const { model } = double
  larger = (await paypalOf(double).createAgreement(REQUEST)).agreementId
  model.approve(larger)
  world = await startPaypalProcess(double, larger)
  await deliver()
  const startsAt = (await world.known()).agreements[0]!.periodEnd
  const plan = { userId, tier: 'standard', startsAt } as const
  smaller = (await paypalOf(double).createAgreement({ ...REQUEST, ...plan, requestId: 'smaller' })).agreementId
  const price = { priceCents: PLANS.standard.priceCents, currency: 'USD', at: model.at }
  await sendCommand(world.deps, { type: 'RequestSubscription', agreementId: smaller, ...plan, ...price })
  await pass(Date.parse(startsAt!) - model.now)
  model.bill(larger)
  await pass(DAY_MS)
  model.approve(smaller)
  await pass(0)
})
afterEach(() => double.close())

async function deliver() {
  for (const { headers, body } of double.model.events.splice(0).map((event) => double.sign(event)))
    await applyWebhook(world.deps, (await world.provider.verifyWebhook(headers, body))!.subject)
}

async function pass(ms: number) {
  double.model.now += ms
  world.clock.now = double.model.now
  await deliver()
  await settleSubscription(world.deps, userId)
}

async function summary() {
  const { lots } = (await world.deps.handle.read(creditAccount, userId)).state
  return {
    plans: (await world.known()).agreements.map(({ status }) => status),
    atPaypal: [larger, smaller].map((id) => double.model.of(id).status),
    credits: lots.reduce((sum, { left }) => sum + left, 0),
  }
}
const credits = 2 * PLANS.pro.credits + PLANS.standard.credits

it('keeps the renewed plan until its period ends, and the credits of both', async () => {
  expect(await summary()).toEqual({ plans: ['active', 'scheduled'], atPaypal: ['SUSPENDED', 'ACTIVE'], credits })
  await pass(31 * DAY_MS)
  expect(await summary()).toEqual({ plans: ['ended', 'active'], atPaypal: ['CANCELLED', 'ACTIVE'], credits })
})

it('cancels the smaller plan at PayPal when the larger one is reactivated, and keeps the credits of both', async () => {
  await sendCommand(world.deps, { type: 'ReactivateSubscription', userId, at: double.model.at })
  await pass(0)
  expect(await summary()).toEqual({ plans: ['active', 'ended'], atPaypal: ['ACTIVE', 'CANCELLED'], credits })
})
