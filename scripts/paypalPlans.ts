/**
 * Makes the plans at PayPal and prints their ids as they go into the environment: `npm run paypal:plans`. It needs
 * PAYPAL_CLIENT_ID and PAYPAL_CLIENT_SECRET, and for a trial PAYPAL_BASE_URL; run again, it prints the same ids.
 */
import { createPlans } from '#backend/providers/payments/paypal/createPlans.ts'
import { createPaypalApi } from '#backend/providers/payments/paypal/paypalApi.ts'

const { PAYPAL_CLIENT_ID: clientId, PAYPAL_CLIENT_SECRET: clientSecret } = process.env
const baseUrl = process.env.PAYPAL_BASE_URL || 'https://api-m.paypal.com'

if (!clientId || !clientSecret) {
  console.error('PAYPAL_CLIENT_ID and PAYPAL_CLIENT_SECRET are not set: see .env.example')
  process.exit(1)
}
try {
  const ids = await createPlans(createPaypalApi({ clientId, clientSecret, baseUrl }))
  for (const [tier, id] of Object.entries(ids)) console.log(`PAYPAL_PLAN_${tier.toUpperCase()}=${id}`)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
