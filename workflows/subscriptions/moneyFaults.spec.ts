import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CreditAccount, type CreditAccountCommand, creditAccount } from '#backend/credits/creditAccount.decider.ts'
import type { Subscription } from '#backend/subscriptions/agreements.rules.ts'
import type { SubscriptionCommand } from '#backend/subscriptions/commands.ts'
import type { SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { play } from '../testing/moneyInvariants.ts'
import { crashing, history } from '../testing/moneySteps.ts'
import { type Faulty, MoneyWorld } from '../testing/moneyWorld.ts'

type Credit = (command: CreditAccountCommand, account: CreditAccount) => ReturnType<typeof creditAccount.decide>
const ofCredits = (decide: Credit): Faulty => ({ creditAccount: { decide } })

/** Returns a fault that changes the decided events of subscriptions. */
const ofPlans = (
  change: (events: readonly SubscriptionEvent[], command: SubscriptionCommand) => readonly SubscriptionEvent[],
): Faulty => ({
  subscription: {
    decide: (command: SubscriptionCommand, state: Subscription) => change(subscription.decide(command, state), command),
  },
})

/** Faults of earlier releases. */
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
}

const numRuns = 1_000

describe(`${numRuns} random histories of money`, () => {
  it.each(Object.entries(FAULTS))('detect that %s', { timeout: 120_000 }, async (name, faulty) => {
    const property = fc.asyncProperty(history, crashing, (steps, rollCrash) =>
      play(new MoneyWorld(rollCrash, faulty), steps),
    )
    const { failed, numRuns: played } = await fc.check(property, { numRuns, seed: 20261121, endOnFailure: true })
    console.log(`${name}: red after ${played} histories`)
    expect(failed).toBe(true)
  })
})
