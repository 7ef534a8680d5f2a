import { describe, expect, it } from 'vitest'
import type { SubscriptionEvent } from './events.ts'
import { faultOf } from './invariants.rules.ts'
import { subscription } from './subscription.decider.ts'
import { mismatched, paid, refundProposed, restored, reversal, reversed, running } from './testing/subscriptionFacts.ts'

/** Judges a decision of these events after a plan was paid: 4500 credits for 4499 cents. */
function judge(...events: SubscriptionEvent[]) {
  const before = running.reduce(subscription.evolve, subscription.initial)
  return faultOf({ command: reversal('r', 1), before, events, after: events.reduce(subscription.evolve, before) })
}
const withData = <E extends SubscriptionEvent>(event: E, data: Partial<E['data']>) =>
  ({ ...event, data: { ...event.data, ...data } }) as SubscriptionEvent

const IMPOSSIBLE = 'leaves an impossible amount'

describe('the invariants of subscriptions', () => {
  it('allow all credits of a sale to be claimed, given back, and claimed again, and its refund', () => {
    expect(judge(reversed('r', 4499, 4500), restored('s', 4499, 4500), reversed('t', 0, 4500))).toBeUndefined()
    expect(judge(refundProposed('s1'))).toBeUndefined()
    expect(judge(mismatched('s9', 99_999), reversed('r', 99_999, 0, { saleId: 's9' }))).toBeUndefined()
  })

  it.each<[string, SubscriptionEvent[], string]>([
    ['claims more credits than the sale granted', [reversed('r', 4499, 4501)], 'claims 4501 of the 4500 credits'],
    ['claims in parts more than the sale granted', [reversed('r', 1, 4500), reversed('t', 1, 1)], 'claims 4501 of'],
    [
      'claims credits of a sale without any',
      [mismatched('s9'), reversed('r', 1, 1, { saleId: 's9' })],
      'claims 1 of the 0',
    ],
    ['gives back more than was claimed', [reversed('r', 9, 9), restored('s', 9, 10)], IMPOSSIBLE],
    ['claims a part of a credit', [reversed('r', 1, 0.5)], IMPOSSIBLE],
    ['takes back a negative amount', [reversed('r', -1, 0)], IMPOSSIBLE],
    ['proposes to refund a negative amount', [withData(refundProposed('s1'), { amountCents: -1 })], IMPOSSIBLE],
    ['grants a negative number of credits', [withData(paid('s2'), { credits: -1 } as never)], IMPOSSIBLE],
    ['records a negative payment', [withData(paid('s2'), { amountCents: -1 } as never)], IMPOSSIBLE],
    [
      'proposes to refund more than was paid',
      [withData(refundProposed('s1'), { amountCents: 4500 })],
      'the 4499 cents',
    ],
    ['records a sale twice', [paid('s1')], 'records sale s1 twice'],
  ])('refuse a decision that %s', (_, events, fault) => {
    expect(judge(...events)).toContain(fault)
  })
})
