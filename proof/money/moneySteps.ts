import fc from 'fast-check'
import { PACK_IDS } from '#backend/subscriptions/packs.contract.ts'
import { type MoneyWorld, TILLS } from './moneyWorld.ts'

export type Step = (world: MoneyWorld) => unknown
const tier = fc.constantFrom('standard' as const, 'pro' as const, 'ultimate' as const)
const pack = fc.constantFrom(...PACK_IDS)
const till = fc.constantFrom(...TILLS)
const currency = fc.constantFrom('USD' as const, 'CNY' as const)
const nth = fc.nat({ max: 5 })
const ofAgreement = (world: MoneyWorld, n: number) => world.agreements[n % world.agreements.length] ?? ''
/** A sale of an agreement, counted from the last. */
const sale = fc.constantFrom(-1, -1, -1, -2, -3)
/** A refund in up to thirteen parts. */
const percents = fc.oneof(fc.tuple(fc.integer({ min: 1, max: 100 })), fc.constant(Array.from({ length: 13 }, () => 8)))
const task = fc.nat({ max: 6 }).map((n) => `task${n}`)

/** Requests a plan, and approves it immediately at the provider. */
export const subscribing = fc.tuple(tier, till).map(([each, by]) => async (world: MoneyWorld) => {
  await world.request(each, by)
  world.provider.approve(world.agreements.at(-1) ?? '')
})

/** Holds credits over the end of the plan or of a renewed lot, until the task fails or its owner cancels it. */
const holdingOver = fc
  .record({
    holdId: fc.nat().map((n) => `over${n}`),
    amount: fc.constantFrom(10, 30, 900),
    endsPlan: fc.boolean(),
    days: fc.integer({ min: 20, max: 40 }),
    byOwner: fc.boolean(),
  })
  .map(({ holdId, amount, endsPlan, days, byOwner }) => async (world: MoneyWorld) => {
    await world.hold(holdId, amount)
    if (endsPlan) await world.cancel(false)
    world.advance(days)
    await world.settle()
    await world.release(holdId, byOwner)
  })

/** What processes do by themselves, and what users ask of them. */
const work: fc.Arbitrary<Step> = fc.oneof(
  nth.map((n) => (world: MoneyWorld) => world.read(n)),
  fc.constant((world: MoneyWorld) => world.settle()),
  fc.constant((world: MoneyWorld) => world.reconcile()),
)
const command: fc.Arbitrary<Step> = fc.oneof(
  tier.map((each) => (world: MoneyWorld) => world.request(each)),
  fc.boolean().map((atEnd) => (world: MoneyWorld) => world.cancel(atEnd)),
  fc.constant((world: MoneyWorld) => world.reactivate()),
)
/** Generates functions that return how many turns a process waits. */
const turns = fc.infiniteStream(fc.nat({ max: 4 })).map((rolls) => () => rolls.next().value)

/** Two or three processes work at the same time. */
const together = fc
  .tuple(fc.array(fc.oneof(work, work, command), { minLength: 2, maxLength: 3 }), turns)
  .map(([all, rollTurns]) => (world: MoneyWorld) => {
    const processes = all.map((each) => async () => each(world))
    return world.together(processes, rollTurns)
  })

/** Everything that can happen to a subscription, in any order. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: subscribing },
  { weight: 2, arbitrary: holdingOver },
  {
    weight: 4,
    arbitrary: fc.tuple(tier, till).map(
      ([each, by]) =>
        (world: MoneyWorld) =>
          world.request(each, by),
    ),
  },
  { weight: 6, arbitrary: nth.map((n) => (world: MoneyWorld) => world.provider.approve(ofAgreement(world, n))) },
  { weight: 1, arbitrary: nth.map((n) => (world: MoneyWorld) => world.provider.failPayment(ofAgreement(world, n))) },
  {
    weight: 1,
    arbitrary: fc.tuple(pack, till, currency).map(
      ([each, by, paidIn]) =>
        (world: MoneyWorld) =>
          world.order(each, by, paidIn),
    ),
  },
  { weight: 1, arbitrary: nth.map((n) => (world: MoneyWorld) => world.provider.failRefund(n)) },
  { weight: 1, arbitrary: nth.map((n) => (world: MoneyWorld) => world.withdraw(n)) },
  {
    weight: 1,
    arbitrary: fc.tuple(nth, fc.constantFrom(50, 500)).map(
      ([n, amount]) =>
        (world: MoneyWorld) =>
          world.redeem(`c${n}`, amount),
    ),
  },
  { weight: 2, arbitrary: nth.map((n) => (world: MoneyWorld) => world.provider.approveOrder(ofAgreement(world, n))) },
  {
    weight: 1,
    arbitrary: fc.tuple(nth, percents, sale).map(([n, parts, which]) => (world: MoneyWorld) => {
      for (const percent of parts) world.provider.refund(ofAgreement(world, n), percent, which)
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(nth, sale).map(
      ([n, which]) =>
        (world: MoneyWorld) =>
          world.provider.chargeBack(ofAgreement(world, n), which),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(nth, fc.boolean(), sale).map(
      ([n, isWon, which]) =>
        (world: MoneyWorld) =>
          world.provider.resolveDispute(ofAgreement(world, n), isWon, which),
    ),
  },
  {
    weight: 1,
    arbitrary: nth.map((n) => (world: MoneyWorld) => world.provider.cancel(ofAgreement(world, n))),
  },
  {
    weight: 2,
    arbitrary: fc.boolean().map((isDown) => (world: MoneyWorld) => {
      world.provider.down = isDown
    }),
  },
  { weight: 1, arbitrary: fc.boolean().map((atEnd) => (world: MoneyWorld) => world.cancel(atEnd)) },
  { weight: 1, arbitrary: fc.constant((world: MoneyWorld) => world.reactivate()) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 40 }).map((days) => (world: MoneyWorld) => world.advance(days)) },
  {
    weight: 3,
    arbitrary: fc.tuple(task, fc.constantFrom(10, 30, 60, 900)).map(
      ([holdId, amount]) =>
        (world: MoneyWorld) =>
          world.hold(holdId, amount),
    ),
  },
  {
    weight: 2,
    arbitrary: task.map((holdId) => (world: MoneyWorld) => world.capture(holdId)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(task, fc.boolean()).map(
      ([holdId, byOwner]) =>
        (world: MoneyWorld) =>
          world.release(holdId, byOwner),
    ),
  },
  { weight: 4, arbitrary: nth.map((n) => (world: MoneyWorld) => world.read(n)) },
  { weight: 4, arbitrary: fc.constant((world: MoneyWorld) => world.settle()) },
  { weight: 2, arbitrary: nth.map((n) => (world: MoneyWorld) => world.lose(n)) },
  { weight: 1, arbitrary: fc.constant((world: MoneyWorld) => world.reconcile()) },
  { weight: 3, arbitrary: together },
  {
    weight: 1,
    arbitrary: fc.boolean().map((isMispriced) => (world: MoneyWorld) => {
      world.provider.isMispriced = isMispriced
    }),
  },
)

/** Actions of the provider and its buyer, month by month, while no webhook arrives. */
export const yearStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.constant((world: MoneyWorld) => world.advance(31)) },
  { weight: 2, arbitrary: fc.constant((world: MoneyWorld) => world.provider.failPayment(world.agreements[0]!)) },
  {
    weight: 1,
    arbitrary: fc.tuple(percents, sale).map(([parts, which]) => (world: MoneyWorld) => {
      for (const percent of parts) world.provider.refund(world.agreements[0]!, percent, which)
    }),
  },
  {
    weight: 1,
    arbitrary: sale.map((which) => (world: MoneyWorld) => world.provider.chargeBack(world.agreements[0]!, which)),
  },
  {
    weight: 1,
    // Not about the last sale: whether its chargeback ends the plan depends on whether it arrives before the outcome.
    arbitrary: fc.tuple(fc.boolean(), fc.constantFrom(-2, -3)).map(
      ([isWon, which]) =>
        (world: MoneyWorld) =>
          world.provider.resolveDispute(world.agreements[0]!, isWon, which),
    ),
  },
  { weight: 1, arbitrary: fc.constant((world: MoneyWorld) => world.provider.pauseAgreement(world.agreements[0]!)) },
  { weight: 1, arbitrary: fc.constant((world: MoneyWorld) => world.provider.resumeAgreement(world.agreements[0]!)) },
  { weight: 1, arbitrary: fc.constant((world: MoneyWorld) => world.provider.cancel(world.agreements[0]!)) },
)

/** A random history of one user's payments and tasks. */
export const history = fc.array(step, { minLength: 10, maxLength: 60, size: 'max' })

/** Generates `crashes` functions that return true about once in eight calls. */
export const crashing = fc.infiniteStream(fc.nat({ max: 7 })).map((rolls) => () => rolls.next().value === 0)
