import { expect } from 'vitest'
import { Deviations } from '#backend/audit/deviation.ts'
import { GrantProofs } from '#backend/audit/grantProofs.ts'
import type { CodeEvent } from '#backend/codes/events.ts'
import type { CreditAccountEvent, LotPart } from '#backend/credits/events.ts'
import { available, total } from '#backend/credits/lots.rules.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { type Agreement, currentOf, endOf, planEndedAt, successorOf } from '#backend/subscriptions/agreements.rules.ts'
import type { PaidTier, SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { packSales } from '#backend/subscriptions/packs.rules.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { takenCents } from '#backend/subscriptions/takenBack.rules.ts'
import type { Step } from './moneySteps.ts'
import type { MoneyWorld } from './moneyWorld.ts'
import type { ModelSale } from './paymentModel.ts'

/** Asserts the invariants of the ledger that hold at all times. */
function assertLedger(world: MoneyWorld): void {
  const { lots, holds, debt } = world.account
  let [granted, captured, lost, owed, claimed] = [0, 0, 0, 0, 0]
  const held = new Map<string, readonly LotPart[]>()
  for (const { type, data } of world.ledger()) {
    if (type === 'CreditLotGranted') granted += data.amount
    if (type === 'CreditsHeld') held.set(data.holdId, data.parts)
    if (type === 'CreditsCaptured') captured += total(held.get(data.holdId)!)
    if (type === 'CreditsReleased') {
      const parts = held.get(data.holdId)!
      const [renewed, forfeited] = [data.renewed?.amount ?? 0, total(data.forfeited ?? [])]
      expect(total(data.parts) + renewed + forfeited).toBe(total(parts))
      // Credits that the owner frees go with their lot, unless a refund has claimed others in their place.
      if (data.reason === 'cancelled') expect(renewed).toBeLessThanOrEqual(claimed)
      // Credits that were renewed before keep their date.
      expect(renewed).toBeLessThanOrEqual(total(parts.filter(({ lotId }) => !lotId.startsWith('returned-'))))
      lost += forfeited
    }
    if (type === 'CreditLotClosed') lost += data.amount
    if (type === 'CreditsWithdrawn') lost += total(data.parts)
    if (type === 'CreditsReversed') {
      lost += total(data.parts)
      owed += data.debt
      claimed += total(data.parts) + data.debt
      expect(data.debt).toBeGreaterThanOrEqual(0)
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
  for (const { reversed, granted } of [...lots, ...world.account.closed])
    expect(reversed >= 0 && reversed <= granted).toBe(true)
  if (debt > 0) expect(available(lots, world.at)).toBe(0)
}

/** Returns the credits that reversals of a sale have claimed. */
export const claimedOf = (world: MoneyWorld, saleId: string) =>
  world.subscription.reversals.reduce((sum, reversal) => sum + (reversal.saleId === saleId ? reversal.credits : 0), 0)

/** Returns the number of credits of a lot that videos have used. */
function capturedOf(world: MoneyWorld, lotId: string): number {
  const held = new Map<string, number>()
  let captured = 0
  for (const { type, data } of world.ledger()) {
    if (type === 'CreditsHeld') held.set(data.holdId, total(data.parts.filter((part) => part.lotId === lotId)))
    if (type === 'CreditsCaptured') captured += held.get(data.holdId) ?? 0
  }
  return captured
}

/** Asserts that the credits claimed of a sale are its share of the money taken back, and never more than it granted. */
function assertClaims(world: MoneyWorld, sale: ModelSale): void {
  const { id: saleId, amountCents } = sale
  const { credits } = [...world.subscription.sales, ...packSales(world.subscription)].find(({ id }) => id === saleId)!
  const claimed = claimedOf(world, saleId)
  expect(claimed).toBe(Math.floor((credits * world.provider.takenBack(sale)) / amountCents))
  const { lots, closed } = world.account
  const lot = [...lots, ...closed].find(({ id }) => id === `sale-${saleId}`)!
  expect(lot.reversed).toBeLessThanOrEqual(Math.min(claimed, lot.granted))
  // What was not taken back pays for credits that were used.
  const gone = lot.reversed + lot.forfeited
  expect(gone).toBeLessThanOrEqual(Math.max(lot.granted - capturedOf(world, lot.id), claimed))
}

const isBilled = ({ status, cancelled }: Agreement) =>
  status === 'scheduled' || ((status === 'active' || status === 'suspended') && cancelled === 'no')

/** Asserts that at most one agreement can be billed, apart from those that await approval. */
function assertBilling({ subscription: { agreements } }: MoneyWorld): void {
  expect(agreements.filter(isBilled).length).toBeLessThanOrEqual(1)
}

/**
 * Asserts that a plan ends with its period, however late that is noticed, also if a smaller plan replaces it. One whose
 * payment is taken back ends immediately.
 */
function assertEnds(world: MoneyWorld): void {
  let state = subscription.initial
  for (const [index, event] of world.history().entries()) {
    const { agreementId, at } = event.data
    const find = (id: string | null) => state.agreements.find((agreement) => agreement.id === id)
    const agreement = find(agreementId)
    const { status, periodEnd } = agreement ?? {}
    if (event.type === 'SubscriptionEnded' && agreement && periodEnd) {
      const { cause, replacedBy } = event.data
      if (cause === 'period_end') expect(at).toBe(endOf(agreement))
      const isTakenBack = world.history()[index - 1]?.type === 'SubscriptionSaleReversed'
      if (status === 'active' && find(replacedBy)?.startsAt) expect(periodEnd <= at || isTakenBack).toBe(true)
    }
    state = subscription.evolve(state, event)
  }
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
    ({ saleId: id, amountCents, takenBefore }) => world.provider.takenBack({ id, amountCents }) <= takenBefore,
  )
  const proposed = [...world.alerts].filter((code) => !code.startsWith('refund_failed '))
  expect(proposed.toSorted()).toEqual(unanswered.map(({ saleId }) => `refund_proposed ${saleId}`).toSorted())
  for (const { type, data } of world.ledger())
    if (type === 'CreditLotClosed' && data.reason === 'subscription_ended')
      expect(spendable.get(data.lotId)! <= lastEnd).toBe(true)
}

/** Asserts that the refund of an upgrade forfeits no credits of a sale that pays for time to come. */
function assertKeptByRefund(world: MoneyWorld): void {
  const forfeited = world
    .ledger()
    .flatMap((event) => (event.type === 'CreditLotClosed' && event.data.amount > 0 ? [event.data.lotId] : []))
  let [state, reversed] = [subscription.initial, '']
  for (const event of world.history()) {
    const { type, data } = event
    state = subscription.evolve(state, event)
    if (type !== 'SubscriptionEnded') {
      reversed = type === 'SubscriptionSaleReversed' ? data.saleId : ''
      continue
    }
    const { sales, agreements } = state
    const whole = sales.find((sale) => sale.id === reversed && takenCents(state, sale) === sale.amountCents)
    const { periodStart } = agreements.find(({ id }) => id === data.agreementId)!
    if (whole?.agreementId !== data.agreementId || whole.periodStart !== periodStart) continue
    for (const sale of sales) {
      const isOfPlan =
        sale.agreementId !== data.agreementId && successorOf(state, sale.agreementId)?.id === data.agreementId
      const isRefunded = state.proposedRefunds.some(({ saleId, automatic }) => saleId === sale.id && automatic)
      const isPaid = sale.periodEnd > data.at && takenCents(state, sale) < sale.amountCents && !isRefunded
      if (isOfPlan && isPaid) expect(forfeited).not.toContain(`sale-${sale.id}`)
    }
  }
}

/** Asserts the invariants that hold after all webhooks are processed and settled. */
export function assertSettled(world: MoneyWorld): void {
  const { agreements, sales } = world.subscription
  const all = [...world.provider.accounts.values()]
  const isMispriced = ({ amountCents }: ModelSale, tier: PaidTier) => amountCents !== PLANS[tier].priceCents
  const sold = all.flatMap((account) => account.sales.filter((each) => !isMispriced(each, account.tier)))
  const orders = [...world.provider.orders.values()]
  const [packs, mispricedPacks] = [true, false].map((isPriced) =>
    orders.flatMap(({ sales, ...order }) =>
      sales.filter((each) => (each.amountCents === order.amountCents) === isPriced),
    ),
  ) as [ModelSale[], ModelSale[]]
  const mispriced = [
    ...all.flatMap((account) => account.sales.filter((each) => isMispriced(each, account.tier))),
    ...mispricedPacks,
  ]
  const mismatched = world.subscription.proposedRefunds.filter(({ cause }) => cause === 'mismatched')
  expect(mismatched.map(({ saleId }) => saleId).toSorted()).toEqual(mispriced.map(({ id }) => id).toSorted())
  expect(sales.map(({ id }) => id).toSorted()).toEqual(sold.map(({ id }) => id).toSorted())
  const bySales = world.ledger().filter(({ type }) => type === 'CreditLotGranted')
  expect(bySales.map(({ data }) => 'lotId' in data && data.lotId).toSorted()).toEqual(
    [
      ...[...sold, ...packs].map(({ id }) => `sale-${id}`),
      ...world.redemptions().map(({ codeId, userId }) => `code-${codeId}-${userId}`),
    ].toSorted(),
  )
  for (const sale of [...sold, ...packs]) assertClaims(world, sale)
  // The end of a plan takes nothing of a pack. A withdrawal from its contract may.
  const isKept = (saleId: string) => !world.subscription.withdrawals.some((each) => each.saleId === saleId)
  const lots = [...world.account.lots, ...world.account.closed].filter(({ source }) => source === 'pack')
  const keptLots = lots.filter(({ id }) => isKept(id.replace('sale-', '')))
  expect(keptLots.map(({ id, forfeited }) => [id, forfeited]).toSorted()).toEqual(
    packs
      .filter(({ id }) => isKept(id))
      .map(({ id }) => [`sale-${id}`, 0])
      .toSorted(),
  )
  // At most one agreement is billed, namely the one that determines the plan.
  const billing = [...world.provider.accounts.values()].filter(({ status }) => status === 'active')
  expect(billing.length).toBeLessThanOrEqual(1)
  const current = currentOf(world.subscription)
  if (billing[0]) expect(agreements.filter(isBilled).map(({ id }) => id)).toEqual([billing[0].id])
  if (!current) {
    const kept = world.account.lots.filter(({ source, left }) => source === 'subscription' && left > 0)
    const staying = sales.filter(
      ({ id, agreementId, reportedAt }) =>
        reportedAt > planEndedAt(world.subscription, agreementId)! ||
        world.subscription.reversals.some(({ saleId, kind }) => saleId === id && kind === 'restored') ||
        successorOf(world.subscription, agreementId)!.endCause === 'refunded',
    )
    expect(staying.map(({ id }) => `sale-${id}`)).toEqual(expect.arrayContaining(kept.map(({ id }) => id)))
  }
  // Nobody keeps a plan whose current period was refunded or charged back whole.
  const paidFor = sold.filter(({ agreementId }) => agreementId === current?.id).at(-1)
  if (paidFor) expect(world.provider.takenBack(paidFor)).toBeLessThan(paidFor.amountCents)
  for (const { status, id } of agreements)
    if (status === 'ended') expect(['pending', 'cancelled']).toContain(world.provider.accounts.get(id)?.status)
}

/** Asserts that a plan that is not cancelled is billed. The model of the provider suspends none by itself. */
function assertReactivated({ subscription, provider }: MoneyWorld): void {
  const current = currentOf(subscription)
  if (current?.cancelled === 'no') expect(provider.accounts.get(current.id)?.status).not.toBe('suspended')
}

/** Asserts that the audit finds a cause for each grant, reversal and forfeiture, and that nothing is left to settle. */
function assertProven({ log }: MoneyWorld): void {
  const deviations = new Deviations()
  const proofs = new GrantProofs(deviations)
  for (const event of log)
    if (event.stream.startsWith('code-')) proofs.takeCode(event as Stored<CodeEvent>)
    else if (event.stream.startsWith('subscription-')) proofs.takeSubscription(event as Stored<SubscriptionEvent>)
    else proofs.takeCredit(event as Stored<CreditAccountEvent>)
  proofs.end(Number.POSITIVE_INFINITY)
  expect(deviations.found).toEqual([])
}

/** Plays a history, then processes all that is left of it. Asserts the invariants of money throughout. */
export async function play(world: MoneyWorld, steps: readonly Step[]): Promise<void> {
  let length = 0
  for (const step of steps) {
    await step(world)
    if (world.ledger().length > length) assertLedger(world)
    length = world.ledger().length
    assertBilling(world)
  }
  await world.rest()
  assertLedger(world)
  assertBilling(world)
  assertEnds(world)
  assertNoSaleWithoutCredits(world)
  assertKeptByRefund(world)
  assertSettled(world)
  assertReactivated(world)
  assertProven(world)
}
