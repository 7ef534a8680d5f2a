import { createPaypal } from '#backend/providers/payments/paypal/paypal.ts'
import {
  DOUBLE_CLIENT,
  DOUBLE_WEBHOOK_ID,
  type PaypalDouble,
} from '#backend/providers/payments/paypal/testing/paypalDouble.ts'
import { MODEL_PLANS } from '#backend/providers/payments/paypal/testing/paypalModel.ts'
import { startPaymentProcess, userId } from './paymentProcess.ts'

export { userId }

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
  const at = new Date(double.model.of(agreementId).create_time).toISOString()
  const provider = paypalOf(double)
  return { ...(await startPaymentProcess(provider, { agreementId, at, now: double.model.now })), provider }
}
