import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { available, total } from '#backend/credits/lots.rules.ts'
import { type Agreement, currentOf, planEndedAt } from '#backend/subscriptions/agreements.rules.ts'
import type { ProviderSale } from '#backend/subscriptions/paymentProvider.port.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { MoneyWorld } from '../testing/moneyWorld.ts'

const userId = 'user'

type Step = (world: MoneyWorld) => unknown
const tier = fc.constantFrom('standard' as const, 'pro' as const, 'ultimate' as const)
const nth = fc.nat({ max: 5 })
const ofAgreement = (world: MoneyWorld, n: number) => world.agreements[n % world.agreements.length] ?? ''
/** A sale of an agreement, counted from the last. */
const sale = fc.constantFrom(-1, -1, -1, -2, -3)
/** A refund in up to thirteen parts. */
const percents = fc.oneof(fc.tuple(fc.integer({ min: 1, max: 100 })), fc.constant(Array.from({ length: 13 }, () => 8)))
const task = fc.nat({ max: 6 }).map((n) => `task${n}`)

/** Everything that can happen to a subscription, in any order. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: tier.map((each) => (world: MoneyWorld) => world.request(each)) },
  { weight: 6, arbitrary: nth.map((n) => (world: MoneyWorld) => world.provider.approve(ofAgreement(world, n))) },
  { weight: 1, arbitrary: nth.map((n) => (world: MoneyWorld) => world.provider.failPayment(ofAgreement(world, n))) },
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
          world.spend({ type: 'HoldCredits', userId, holdId, amount, openLimit: 4, at: world.at }),
    ),
  },
  {
    weight: 2,
    arbitrary: task.map(
      (holdId) => (world: MoneyWorld) => world.spend({ type: 'CaptureHold', userId, holdId, at: world.at }),
    ),
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
)

/** Actions of the provider and its buyer, month by month, while no webhook arrives. */
const yearStep: fc.Arbitrary<(world: MoneyWorld) => unknown> = fc.oneof(
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

const history = fc.array(step, { minLength: 10, maxLength: 60, size: 'max' })

/** Generates `crashes` functions that return true about once in eight calls. */
const crashing = fc.infiniteStream(fc.nat({ max: 7 })).map((rolls) => () => rolls.next().value === 0)

/** Asserts the invariants of the ledger that hold at all times. */
function assertLedger(world: MoneyWorld): void {
  const { lots, holds, debt } = world.account
  let [granted, captured, lost, owed] = [0, 0, 0, 0]
  const held = new Map<string, number>()
  for (const { type, data } of world.ledger()) {
    if (type === 'CreditLotGranted') granted += data.amount
    if (type === 'CreditsHeld') held.set(data.holdId, total(data.parts))
    if (type === 'CreditsCaptured') captured += held.get(data.holdId)!
    if (type === 'CreditsReleased') {
      const forfeited = total(data.forfeited ?? [])
      expect(total(data.parts) + (data.renewed?.amount ?? 0) + forfeited).toBe(held.get(data.holdId))
      lost += forfeited
    }
    if (type === 'CreditLotClosed') lost += data.amount
    if (type === 'CreditsWithdrawn') lost += total(data.parts)
    if (type === 'CreditsReversed') {
      lost += total(data.parts)
      owed += data.debt
    }
    if (type === 'CreditsRestored') lost -= data.amount
    if (type === 'CreditDebtRepaid') {
      lost += total(data.parts)
      owed -= total(data.parts)
    }
  }
  const left = lots.reduce((sum, lot) => sum + lot.left, 0)
  const open = holds.reduce((sum, { parts }) => sum + total(parts), 0)
  expect({ granted, owed }).toEqual({ granted: left + open + captured + lost, owed: debt })
  expect(lots.every((lot) => lot.left >= 0)).toBe(true)
  if (debt > 0) expect(available(lots, world.at)).toBe(0)
}

const claimedOf = (world: MoneyWorld, saleId: string) =>
  world.subscription.reversals.reduce((sum, reversal) => sum + (reversal.saleId === saleId ? reversal.credits : 0), 0)

/** Asserts that the credits claimed of a sale are its share of the money taken back, and never more than it granted. */
function assertClaims(world: MoneyWorld, sale: ProviderSale): void {
  const { id: saleId, amountCents } = sale
  const { credits } = world.subscription.sales.find(({ id }) => id === saleId)!
  const claimed = claimedOf(world, saleId)
  expect(claimed).toBe(Math.floor((credits * world.provider.takenBack(sale)) / amountCents))
  const { lots, closed } = world.account
  const lot = [...lots, ...closed].find(({ id }) => id === `sale-${saleId}`)!
  expect(lot.reversed).toBeLessThanOrEqual(Math.min(claimed, lot.granted))
}

const isBilled = ({ status, cancelled }: Agreement) =>
  status === 'scheduled' || ((status === 'active' || status === 'suspended') && cancelled === 'no')

/** Asserts that at most one agreement can be billed, apart from those that await approval. */
function assertBilling({ subscription: { agreements } }: MoneyWorld): void {
  expect(agreements.filter(isBilled).length).toBeLessThanOrEqual(1)
}

/** Asserts that a sale without a plan on which to spend its credits grants credits that stay, and has its refund proposed. */
function assertNoSaleWithoutCredits(world: MoneyWorld): void {
  const events = world.history()
  let [state, lastEnd] = [subscription.initial, '']
  const spendable = new Map<string, string>()
  for (const [index, event] of events.entries()) {
    state = subscription.evolve(state, event)
    if (event.type === 'SubscriptionEnded' && event.data.at > lastEnd) lastEnd = event.data.at
    if (event.type !== 'SubscriptionPaid') continue
    const { saleId, afterEnd, at } = event.data
    if (!afterEnd) expect(currentOf(state)).toBeDefined()
    else expect(events[index + 1]).toMatchObject({ type: 'SubscriptionRefundProposed', data: { saleId } })
    if (!afterEnd) spendable.set(`sale-${saleId}`, at)
  }
  const unanswered = state.proposedRefunds.filter(
    ({ saleId }) => !state.reversals.some((each) => each.saleId === saleId),
  )
  expect([...world.alerts].toSorted()).toEqual(unanswered.map(({ saleId }) => `refund_proposed ${saleId}`).toSorted())
  for (const { type, data } of world.ledger())
    if (type === 'CreditLotClosed' && data.reason === 'subscription_ended')
      expect(spendable.get(data.lotId)! <= lastEnd).toBe(true)
}

/** Asserts the invariants that hold after all webhooks are processed and settled. */
function assertSettled(world: MoneyWorld): void {
  const { agreements, sales } = world.subscription
  const sold = [...world.provider.accounts.values()].flatMap((account) => account.sales)
  expect(sales.map(({ id }) => id).toSorted()).toEqual(sold.map(({ id }) => id).toSorted())
  const bySales = world.ledger().filter(({ type }) => type === 'CreditLotGranted')
  expect(bySales.map(({ data }) => 'lotId' in data && data.lotId).toSorted()).toEqual(
    sold.map(({ id }) => `sale-${id}`).toSorted(),
  )
  for (const sale of sold) assertClaims(world, sale)
  // At most one agreement is billed, namely the one that determines the plan.
  const billing = [...world.provider.accounts.values()].filter(({ status }) => status === 'active')
  expect(billing.length).toBeLessThanOrEqual(1)
  const current = currentOf(world.subscription)
  if (billing[0]) expect(agreements.filter(isBilled).map(({ id }) => id)).toEqual([billing[0].id])
  if (!current) {
    const kept = world.account.lots.filter(({ source, left }) => source === 'subscription' && left > 0)
    const late = sales.filter(
      ({ agreementId, reportedAt }) => reportedAt > planEndedAt(world.subscription, agreementId)!,
    )
    expect(late.map(({ id }) => `sale-${id}`)).toEqual(expect.arrayContaining(kept.map(({ id }) => id)))
  }
  // Nobody keeps a plan whose current period was refunded or charged back whole.
  const paidFor = current && world.provider.accounts.get(current.id)?.sales.at(-1)
  if (paidFor) expect(world.provider.takenBack(paidFor)).toBeLessThan(paidFor.amountCents)
  for (const { status, id } of agreements)
    if (status === 'ended') expect(['pending', 'cancelled']).toContain(world.provider.accounts.get(id)?.status)
}

describe('money', () => {
  const numRuns = FULL ? 100_000 : 3_000

  it(`balances through ${numRuns} random histories with crashes between any two appends`, {
    timeout: 1_800_000,
  }, async () => {
    let [crashes, granted, ended] = [0, 0, 0]
    await fc.assert(
      fc.asyncProperty(history, crashing, async (steps, rollCrash) => {
        const world = new MoneyWorld(() => rollCrash() && ++crashes > 0)
        for (const each of steps) {
          await each(world)
          assertLedger(world)
          assertBilling(world)
        }
        await world.rest()
        assertLedger(world)
        assertBilling(world)
        assertNoSaleWithoutCredits(world)
        assertSettled(world)
        granted += world.account.lots.length + world.account.closed.length
        ended += world.subscription.agreements.filter(({ status }) => status === 'ended').length
      }),
      { numRuns, seed: 20261121 },
    )
    console.log(`${numRuns} histories: ${crashes} crashes, ${granted} lots, ${ended} agreements ended`)
    // Guard against histories in which nothing happens.
    expect({ crashes: crashes > numRuns, granted: granted > numRuns / 2, ended: ended > numRuns / 4 }).toEqual({
      crashes: true,
      granted: true,
      ended: true,
    })
  })

  it('reaches the same state when the webhooks of a year arrive late, shuffled and twice', {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(yearStep, { minLength: 12, maxLength: 20 }), fc.gen(), async (steps, gen) => {
        const ends: unknown[] = []
        for (const isShuffled of [false, true]) {
          const world = new MoneyWorld()
          await world.request('pro')
          world.provider.approve(world.agreements[0]!)
          for (const each of steps) each(world)
          world.receive()
          const sent = world.inbox.splice(0)
          const arriving = isShuffled
            ? gen(fc.shuffledSubarray, [...sent, ...sent], { minLength: sent.length * 2 })
            : sent
          for (const webhook of arriving) {
            world.inbox.push(webhook)
            await world.read(world.inbox.length - 1)
          }
          await world.rest()
          assertSettled(world)
          const { agreements, sales } = world.subscription
          const { lots, closed, debt } = world.account
          const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)
          const claims = sales.map(({ id }) => ({ id, credits: claimedOf(world, id) })).toSorted(byId)
          const state = { agreements, sales: sales.toSorted(byId), claims }
          ends.push({ ...state, lots: lots.toSorted(byId), closed: closed.toSorted(byId), debt })
        }
        expect(ends[1]).toEqual(ends[0])
      }),
      { numRuns: FULL ? 10_000 : 500, seed: 20261121 },
    )
  })
})
