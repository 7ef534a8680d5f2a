import { createStripe, type StripeOptions } from '../stripe.ts'
import type { StripeLink, StripeLinks } from '../stripeLinks.ts'
import { DOUBLE_KEY, DOUBLE_SECRET, type StripeDouble } from './stripeDouble.ts'
import type { Wire } from './stripeModel.ts'

/** Keeps the links of an adapter in memory. */
export function memoryLinks() {
  const all: StripeLink[] = []
  return {
    all,
    find: async (id) => all.find(({ sessionId, subscriptionId }) => id === sessionId || id === subscriptionId),
    add: async (sessionId, subscriptionId) => void all.push({ sessionId, subscriptionId }),
  } satisfies StripeLinks & { all: StripeLink[] }
}

/** Returns an adapter of a double. */
export const adapterOf = (double: StripeDouble, change: Partial<StripeOptions> = {}) =>
  createStripe({
    secretKey: DOUBLE_KEY,
    webhookSecret: DOUBLE_SECRET,
    baseUrl: double.url,
    links: memoryLinks(),
    calendar: () => double.model.now,
    clock: () => double.model.now,
    pace: { timeoutMs: 1_000, pauseMs: 5 },
    ...change,
  })

/** Returns the subscription of a session that was paid. */
export const subscriptionOf = ({ model }: StripeDouble, sessionId: string): string =>
  model.find(sessionId, 'checkout.session').subscription

/** Returns the PaymentIntent of the last sale of an agreement, or of an order. */
export function intentOf({ model }: StripeDouble, sessionId: string): string {
  const { subscription, payment_intent } = model.find(sessionId, 'checkout.session')
  const isOf = ({ parent, payments }: Wire) =>
    parent.subscription_details.subscription === subscription && payments.data.length > 0
  return payment_intent ?? model.all('invoice').find(isOf)?.payments.data[0].payment.payment_intent
}
