import { expect, it } from 'vitest'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '../kernel/eventsourcing/testing/memoryEventStore.ts'
import type { NewAgreement } from './paymentProvider.port.ts'
import { subscription } from './subscription.decider.ts'
import { createSubscriptions } from './subscriptions.ts'
import { on, sale, userId } from './testing/subscriptionFacts.ts'

const context = { commandId: 'c', actor: 'test', correlationId: 'c' }

/** Returns the commands for users at an instant, and the agreements that they ask the provider for. */
function startSubscriptions(when: string) {
  const handle = createHandle(createMemoryEventStore())
  const asked: NewAgreement[] = []
  const payments = {
    offers: [{ name: 'paypal', currencies: ['USD'] }],
    async createAgreement(_: string, agreement: NewAgreement) {
      const agreementId = `I-${asked.push(agreement)}`
      return { agreementId, approvalUrl: `https://pay.test/${agreementId}` }
    },
  }
  const changes = { waitFor: async () => {} }
  const rest = { pausedTills: async () => [], publicUrl: () => 'https://kinora.test', calendar: () => Date.parse(when) }
  return { handle, asked, ...createSubscriptions({ handle, changes, payments, ...rest } as never) }
}

/** Requests the Standard plan with a Pro plan paid until 1 February. Returns when the agreement is to start. */
async function startOf(when: string): Promise<string | null> {
  const { handle, asked, upgrade } = startSubscriptions(when)
  const price = { tier: 'pro', priceCents: 4499, currency: 'USD', startsAt: null } as const
  const request = { type: 'RequestSubscription', userId, agreementId: 'A', ...price, at: on('01-01') } as const
  for (const command of [request, sale('s1')]) await handle(subscription, userId, command, context)
  await upgrade({ userId, tier: 'standard', language: 'en', requestId: 'r' }, context)
  const { state } = await handle.read(subscription, userId)
  expect(state.agreements.at(-1)).toMatchObject({ id: 'I-1', startsAt: asked[0]!.startsAt })
  return asked[0]!.startsAt
}

it('starts a smaller plan when the paid period ends', async () => {
  expect(await startOf(on('01-20'))).toBe(on('02-01'))
})

it('starts a smaller plan immediately if the next payment is overdue, because PayPal refuses dates in the past', async () => {
  for (const when of [on('02-01'), on('02-03')]) expect(await startOf(when)).toBeNull()
})

it('refuses another approval while ten that were cancelled are open at the provider, which would have to be asked about each', async () => {
  const { handle, asked, upgrade, cancel } = startSubscriptions(on('01-20'))
  const request = (requestId: string) =>
    upgrade({ userId, tier: 'pro', language: 'en', requestId }, { ...context, commandId: requestId })
  for (let n = 1; n <= 10; n++) {
    await request(`r${n}`)
    await cancel({ userId, reason: undefined, atPeriodEnd: true }, { ...context, commandId: `c${n}` })
  }
  await expect(request('r11')).rejects.toMatchObject({ code: 'too_many_approvals' })
  expect(asked).toHaveLength(10)
  const gone = { agreementId: 'I-1', status: 'expired', statusAt: on('01-20'), trial: false, periodEnd: null } as const
  await handle(subscription, userId, { type: 'ReportStatus', userId, ...gone, at: on('01-20') }, context)
  expect(await request('r12')).toMatchObject({ agreementId: 'I-11' })
})
