import { createCredits } from '#backend/credits/credits.ts'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { createPaypal } from '#backend/providers/payments/paypal/paypal.ts'
import {
  DOUBLE_CLIENT,
  DOUBLE_WEBHOOK_ID,
  type PaypalDouble,
} from '#backend/providers/payments/paypal/testing/paypalDouble.ts'
import { MODEL_PLANS } from '#backend/providers/payments/paypal/testing/paypalModel.ts'
import type { SubscriptionCommand } from '#backend/subscriptions/commands.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { createTills } from '#backend/subscriptions/tills.ts'
import { isKnown } from '#proof/money/moneyWorld.ts'
import { contextOf } from '../subscriptions/sendCommand.ts'

export const userId = 'user-1'

export const REQUEST = {
  requestId: 'request',
  userId,
  tier: 'pro',
  startsAt: null,
  language: 'en',
  returnUrl: 'https://kinora.test/payment/success',
  cancelUrl: 'https://kinora.test/payment/cancel',
} as const

/** Creates the PayPal adapter for a double. */
export const paypalOf = (double: PaypalDouble) =>
  createPaypal({
    ...DOUBLE_CLIENT,
    baseUrl: double.url,
    webhookId: DOUBLE_WEBHOOK_ID,
    plans: MODEL_PLANS,
    certificates: { source: double.certificateSource, roots: double.roots },
    now: () => double.model.now,
  })

/** Starts a process with its own log, in which the agreement is approved and no webhook has arrived. */
export async function startPaypalProcess(double: PaypalDouble, agreementId: string) {
  const store = createMemoryEventStore()
  const handle = createHandle(store)
  const clock = { now: double.model.now }
  const calendar = () => clock.now
  const give = async (command: SubscriptionCommand) =>
    (await handle(subscription, userId, command, contextOf(command))).state
  const known = () => give({ type: 'ApplyDueChanges', userId, at: new Date(calendar()).toISOString() })
  const findBuyer = async (saleId: string) => (isKnown(await known(), saleId) ? userId : undefined)

  const at = new Date(double.model.of(agreementId).create_time).toISOString()
  const price = { tier: 'pro', priceCents: PLANS.pro.priceCents, currency: 'USD', startsAt: null } as const
  await give({ type: 'RequestSubscription', userId, agreementId, ...price, at })
  const approved = { status: 'active', statusAt: at, trial: false, periodEnd: null } as const
  await give({ type: 'ReportStatus', userId, agreementId, ...approved, at })
  const provider = paypalOf(double)
  const payments = createTills([provider])
  const findOrigin = createOrigins(store)
  const raised = new Set<string>()
  const alerts = {
    raise: async (code: string) => void raised.add(code),
    clear: async (code: string) => void raised.delete(code),
  }
  const credits = createCredits(handle, calendar)
  return {
    store,
    clock,
    known,
    raised,
    provider,
    deps: { handle, payments, findOrigin, credits, alerts, calendar, findBuyer },
  }
}
