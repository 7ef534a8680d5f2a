import { expect, it } from 'vitest'
import { available } from '#backend/credits/lots.rules.ts'
import { MoneyWorld } from './moneyWorld.ts'

/** Returns a world in which a user has paid for a plan, and the id of its agreement. */
async function startPlan() {
  const world = new MoneyWorld()
  await world.request('pro')
  const [id] = world.agreements as [string]
  world.provider.approve(id)
  await world.rest()
  return { world, id }
}

/** Returns the credits of a buyer whose plan was ended by a chargeback, whose dispute the seller has won. */
async function creditsAfterWonDispute({ settles, endsFirst = false }: { settles: boolean; endsFirst?: boolean }) {
  const { world, id } = await startPlan()
  await world.hold('spent', 1_500)
  await world.capture('spent')
  const step = async (change: () => unknown) => {
    world.advance(1)
    await change()
    world.receive()
    for (let left = world.inbox.length; left > 0; left--) await world.read(left - 1)
    if (settles) await world.settle()
  }
  if (endsFirst) await step(() => world.cancel(false))
  await step(() => world.provider.chargeBack(id))
  await step(() => world.provider.resolveDispute(id, true))
  await world.rest()
  return available(world.account.lots, world.at) - world.account.debt
}

it.each([true, false])('leaves the paid credits, whether the chargeback was settled before (%s)', async (settles) => {
  expect(await creditsAfterWonDispute({ settles })).toBe(3_000)
})

it.each([true, false])('leaves no credits that a cancellation has forfeited (settled before: %s)', async (settles) => {
  expect(await creditsAfterWonDispute({ settles, endsFirst: true })).toBe(0)
})

it('takes a refund after a won dispute from the credits that it gave back, and leaves those of the next plan', async () => {
  const { world, id } = await startPlan()
  world.provider.chargeBack(id)
  await world.rest()
  world.provider.resolveDispute(id, true)
  await world.rest()
  await world.request('standard')
  world.provider.approve(world.agreements[1]!)
  await world.rest()
  world.provider.refund(id, 100)
  await world.rest()
  expect(world.account.lots.filter(({ left }) => left > 0)).toMatchObject([{ source: 'subscription' }])
})

it('gives back no credits that a partial refund has claimed, although some were forfeited before', async () => {
  const { world, id } = await startPlan()
  await world.hold('spent', 3_000)
  await world.capture('spent')
  await world.cancel(false)
  await world.rest()
  world.provider.refund(id, 50)
  await world.rest()
  const { debt } = world.account
  world.provider.chargeBack(id)
  await world.rest()
  expect(world.account.debt).toBe(3_000)
  world.provider.resolveDispute(id, true)
  await world.rest()
  expect(world.account.debt).toBe(debt)
})
