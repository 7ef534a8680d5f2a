import * as z from 'zod/mini'
import type { PaidTier } from '#backend/subscriptions/events.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { decimalOf } from './amounts.ts'
import { type PaypalApi, PaypalRefusal } from './paypalApi.ts'
import { Id } from './paypalShapes.ts'

const PRODUCT = 'KINORA-CREDITS'
const PAID: readonly PaidTier[] = ['standard', 'pro', 'ultimate']

const Created = z.object({ id: Id })
const Listed = z.object({
  plans: z.optional(z.array(z.object({ id: Id, name: z.string(), status: z.optional(z.string()) }))),
})

/**
 * Creates the product and its plans at PayPal and returns PayPal's plan ids. Reuses existing plans. A changed price creates
 * a new plan, because buyers of the old one keep their price.
 */
export async function createPlans(api: PaypalApi): Promise<Record<PaidTier, string>> {
  await createProduct(api)
  const path = `/v1/billing/plans?${new URLSearchParams({ product_id: PRODUCT, page_size: '20' })}`
  const { plans = [] } = await api.call({ method: 'GET', path, answer: Listed })
  const ids: Partial<Record<PaidTier, string>> = {}
  for (const tier of PAID) {
    const known = plans.find(({ name, status = 'ACTIVE' }) => name === nameOf(tier) && status === 'ACTIVE')
    ids[tier] = known?.id ?? (await createPlan(api, tier))
  }
  return ids as Record<PaidTier, string>
}

async function createProduct(api: PaypalApi): Promise<void> {
  const body = { id: PRODUCT, name: 'Kinora', type: 'SERVICE', category: 'SOFTWARE' }
  try {
    await api.call({
      method: 'POST',
      path: '/v1/catalogs/products',
      body,
      requestId: PRODUCT,
      answer: z.unknown(),
    })
  } catch (error) {
    if (!(error instanceof PaypalRefusal) || error.issue !== 'DUPLICATE_RESOURCE_IDENTIFIER') throw error
  }
}

const priceOf = (tier: PaidTier) => decimalOf(PLANS[tier].priceCents)
const nameOf = (tier: PaidTier) => `Kinora ${tier[0]!.toUpperCase()}${tier.slice(1)}, US$${priceOf(tier)} a month`

async function createPlan(api: PaypalApi, tier: PaidTier): Promise<string> {
  const body = {
    product_id: PRODUCT,
    name: nameOf(tier),
    status: 'ACTIVE',
    billing_cycles: [
      {
        frequency: { interval_unit: 'MONTH', interval_count: 1 },
        tenure_type: 'REGULAR',
        sequence: 1,
        total_cycles: 0,
        pricing_scheme: { fixed_price: { value: priceOf(tier), currency_code: 'USD' } },
      },
    ],
    payment_preferences: {
      auto_bill_outstanding: true,
      setup_fee_failure_action: 'CANCEL',
      payment_failure_threshold: 2,
    },
  }
  const requestId = `${PRODUCT}-${tier}-${PLANS[tier].priceCents}`
  return (await api.call({ method: 'POST', path: '/v1/billing/plans', body, requestId, answer: Created })).id
}
