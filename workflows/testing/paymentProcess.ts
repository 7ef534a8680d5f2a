import { createCases } from '#backend/cases/cases.ts'
import { createCredits } from '#backend/credits/credits.ts'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import type { SubscriptionCommand } from '#backend/subscriptions/commands.ts'
import type { PaymentProvider } from '#backend/subscriptions/paymentProvider.port.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { createTills } from '#backend/subscriptions/tills.ts'
import { isKnown } from '#proof/money/moneyWorld.ts'
import { contextOf } from '../subscriptions/sendCommand.ts'

export const userId = 'user-1'

/**
 * Starts a process with its own log, in which the agreement is approved and no webhook has arrived.
 * @param agreement its id with the prefix of the provider, and the time of its approval
 */
export async function startPaymentProcess(
  provider: PaymentProvider,
  { agreementId, at, now }: Readonly<{ agreementId: string; at: string; now: number }>,
) {
  const store = createMemoryEventStore()
  const handle = createHandle(store)
  const clock = { now }
  const calendar = () => clock.now
  const give = async (command: SubscriptionCommand) =>
    (await handle(subscription, userId, command, contextOf(command))).state
  const known = () => give({ type: 'ApplyDueChanges', userId, at: new Date(calendar()).toISOString() })
  const findBuyer = async (saleId: string) => (isKnown(await known(), saleId) ? userId : undefined)

  const price = { tier: 'pro', priceCents: PLANS.pro.priceCents, currency: 'USD', startsAt: null } as const
  await give({ type: 'RequestSubscription', userId, agreementId, ...price, at })
  const approved = { status: 'active', statusAt: at, trial: false, periodEnd: null } as const
  await give({ type: 'ReportStatus', userId, agreementId, ...approved, at })
  const payments = createTills([provider])
  const findOrigin = createOrigins(store)
  const raised = new Set<string>()
  const alerts = {
    raise: async (code: string) => void raised.add(code),
    clear: async (code: string) => void raised.delete(code),
  }
  const credits = createCredits(handle, calendar)
  const cases = createCases({ handle, calendar, changes: { waitFor: async () => {} } })
  return {
    store,
    clock,
    known,
    raised,
    deps: { handle, payments, findOrigin, cases, credits, alerts, calendar, findBuyer },
  }
}
