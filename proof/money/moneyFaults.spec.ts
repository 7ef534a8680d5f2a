import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CreditAccountCommand } from '#backend/credits/commands.ts'
import { creditAccount } from '#backend/credits/creditAccount.decider.ts'
import type { CreditAccount } from '#backend/credits/lots.rules.ts'
import { must } from '#backend/kernel/must.ts'
import { currentOf, type Subscription } from '#backend/subscriptions/agreements.rules.ts'
import type { SubscriptionCommand } from '#backend/subscriptions/commands.ts'
import type { SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { play } from './moneyInvariants.ts'
import { crashing, history } from './moneySteps.ts'
import { type Faulty, MoneyWorld } from './moneyWorld.ts'
import type { PaymentModel } from './paymentModel.ts'

type Credit = (command: CreditAccountCommand, account: CreditAccount) => ReturnType<typeof creditAccount.decide>
const ofCredits = (decide: Credit): Faulty => ({ creditAccount: { decide } })

/** Returns a fault that changes the decided events of subscriptions. */
const ofPlans = (
  change: (
    events: readonly SubscriptionEvent[],
    command: SubscriptionCommand,
    state: Subscription,
  ) => readonly SubscriptionEvent[],
): Faulty => ({
  subscription: {
    decide: (command: SubscriptionCommand, state: Subscription) =>
      change(subscription.decide(command, state), command, state),
  },
})

type Claim = SubscriptionEvent<'SubscriptionSaleReversed'>['data']

/** Returns a fault that changes what reversals claim. `share` is the reversal's own share of the credits. */
const ofClaims = (change: (claim: Claim, share: number) => number): Faulty =>
  ofPlans((events, _, { sales }) =>
    events.map((event) => {
      if (event.type !== 'SubscriptionSaleReversed') return event
      const sale = sales.find(({ id }) => id === event.data.saleId)
      const share = sale ? Math.floor((sale.credits * event.data.amountCents) / sale.amountCents) : 0
      return { ...event, data: { ...event.data, credits: change(event.data, share) } }
    }),
  )

/** Returns a fault that loses events of a type. */
const without = (lost: SubscriptionEvent['type']): Faulty =>
  ofPlans((events) => events.filter(({ type }) => type !== lost))

/** Returns the sale of a pack as one of the current plan. */
function asPlanSale({ data }: SubscriptionEvent<'PackPaid'>, state: Subscription): SubscriptionEvent {
  const { id, tier } = must(currentOf(state), 'plan')
  const { pack: _, soldAt, ...sale } = data
  const period = { periodStart: soldAt, periodEnd: soldAt, afterEnd: false }
  return { type: 'SubscriptionPaid', data: { ...sale, agreementId: id, tier, ...period } }
}

/** Faults of earlier releases, and of packs. */
const FAULTS: Readonly<Record<string, Faulty>> = {
  'credits held over the end of their lot are kept by cancelling': ofCredits((command, account) =>
    creditAccount.decide(command.type === 'ReleaseHold' ? { ...command, byOwner: false } : command, account),
  ),
  'renewed credits get a new date': ofCredits((command, account) =>
    creditAccount.decide(command, {
      ...account,
      lots: account.lots.map((lot) => (lot.source === 'returned' ? { ...lot, source: 'adjustment' } : lot)),
    }),
  ),
  'activation does not withdraw other agreements': ofPlans((events) =>
    events.some(({ type }) => type === 'SubscriptionActivated')
      ? events.filter(({ type, data }) => type !== 'SubscriptionEnded' || data.cause !== 'withdrawn')
      : events,
  ),
  'the end is recorded when it is noticed': ofPlans((events, { at }) =>
    events.map((event) =>
      event.type === 'SubscriptionEnded' && event.data.cause === 'period_end'
        ? { ...event, data: { ...event.data, at } }
        : event,
    ),
  ),
  'each part of a refund is rounded down': ofClaims(({ kind, credits }, share) =>
    kind === 'refund' ? Math.min(share, credits) : credits,
  ),
  'a chargeback claims again what a refund has claimed': ofClaims(({ kind, credits, amountCents }, share) =>
    kind === 'reversal' && amountCents > 0 ? share : credits,
  ),
  'the end of a plan takes the packs that were bought with it': ofPlans((events, command, state) =>
    command.type === 'ReportPackSale' && currentOf(state)
      ? events.map((event) => (event.type === 'PackPaid' ? asPlanSale(event, state) : event))
      : events,
  ),
  'a pack is granted although its amount is wrong': ofPlans((events, command, { packs }) => {
    const pack = packs.find(({ id }) => 'agreementId' in command && id === command.agreementId)
    if (command.type !== 'ReportPackSale' || !pack || pack.saleId !== null) return events
    const { type: _, ...sale } = command
    return events.map((event) =>
      event.type === 'SubscriptionSaleMismatched'
        ? { type: 'PackPaid', data: { ...sale, pack: pack.pack, credits: pack.credits } }
        : event,
    )
  }),
  'an order is granted twice': ofPlans((events, command, state) =>
    command.type === 'ReportPackSale' && events.length === 0
      ? subscription.decide(
          { ...command, saleId: `${command.saleId} again` },
          { ...state, packs: state.packs.map((pack) => ({ ...pack, saleId: null })) },
        )
      : events,
  ),
  'a dispute that is won gives nothing back': without('SubscriptionSaleRestored'),
  'a refund that fails keeps its claim': ofPlans((events) =>
    events.filter(({ type, data }) => type !== 'SubscriptionSaleRestored' || data.reversalId === undefined),
  ),
  'a whole refund does not end the plan': ofPlans((events, { type }) =>
    type === 'ReportReversal' ? events.filter((event) => event.type !== 'SubscriptionEnded') : events,
  ),
  'a sale with the wrong price is ignored': without('SubscriptionSaleMismatched'),
  'the refund of a late sale is not proposed': without('SubscriptionRefundProposed'),
}

/** Faults in what reconciliation reads from the provider. */
const BLIND_SPOTS: Readonly<Record<string, (provider: PaymentModel) => void>> = {
  'refunds whose webhook was lost are not found': (provider) => {
    const { listSales } = provider
    provider.listReversals = async () => []
    provider.listSales = async (...period) =>
      (await listSales.apply(provider, period)).map((sale) => ({ ...sale, refunded: false }))
  },
  'refunded sales whose webhook was lost are not found': (provider) => {
    const { listSales } = provider
    provider.listSales = async (...period) => (await listSales.apply(provider, period)).filter((sale) => !sale.refunded)
  },
}

const numRuns = 2_000

describe(`${numRuns} random histories of money`, () => {
  const detects = async (name: string, faulty: Faulty, blind?: (provider: PaymentModel) => void) => {
    const property = fc.asyncProperty(history, crashing, (steps, rollCrash) => {
      const world = new MoneyWorld(rollCrash, faulty)
      blind?.(world.provider)
      return play(world, steps)
    })
    const { failed, numRuns: played } = await fc.check(property, { numRuns, seed: 20261121, endOnFailure: true })
    console.log(`${name}: red after ${played} histories`)
    expect(failed).toBe(true)
  }

  it.each(sampled(Object.entries(FAULTS), 4))('detect that %s', detects)

  it.each(sampled(Object.entries(BLIND_SPOTS), 2))('detect that %s', (name, blind) => detects(name, {}, blind))
})
