import { expect, it } from 'vitest'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '../kernel/eventsourcing/testing/memoryEventStore.ts'
import type { NewAgreement } from './paymentProvider.port.ts'
import { subscription } from './subscription.decider.ts'
import { createSubscriptions } from './subscriptions.ts'
import { on, sale, userId } from './testing/subscriptionFacts.ts'

/** Requests the Standard plan with a Pro plan paid until 1 February. Returns when the agreement is to start. */
async function startOf(when: string): Promise<string | null> {
  const handle = createHandle(createMemoryEventStore())
  const context = { commandId: 'c', actor: 'test', correlationId: 'c' }
  const price = { tier: 'pro', priceCents: 4499, currency: 'USD', startsAt: null } as const
  const request = { type: 'RequestSubscription', userId, agreementId: 'A', ...price, at: on('01-01') } as const
  for (const command of [request, sale('s1')]) await handle(subscription, userId, command, context)
  const asked: NewAgreement[] = []
  const payments = {
    async createAgreement(agreement: NewAgreement) {
      asked.push(agreement)
      return { agreementId: 'B', approvalUrl: 'https://pay.test/B' }
    },
  }
  const changes = { waitFor: async () => {} }
  const rest = { publicUrl: () => 'https://kinora.test', calendar: () => Date.parse(when) }
  const { upgrade } = createSubscriptions({ handle, changes, payments, ...rest } as never)
  await upgrade({ userId, tier: 'standard', language: 'en', requestId: 'r' }, context)
  const { state } = await handle.read(subscription, userId)
  expect(state.agreements.at(-1)).toMatchObject({ id: 'B', startsAt: asked[0]!.startsAt })
  return asked[0]!.startsAt
}

it('starts a smaller plan when the paid period ends', async () => {
  expect(await startOf(on('01-20'))).toBe(on('02-01'))
})

it('starts a smaller plan immediately if the next payment is overdue, because PayPal refuses dates in the past', async () => {
  for (const when of [on('02-01'), on('02-03')]) expect(await startOf(when)).toBeNull()
})
