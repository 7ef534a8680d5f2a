import * as z from 'zod/mini'
import type { PaidTier } from '#backend/subscriptions/events.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { decimalOf } from './amounts.ts'
import { type PaypalApi, PaypalRefusal } from './paypalApi.ts'
import { Id } from './paypalShapes.ts'

const PRODUCT = 'KINORA-CREDITS'

const Created = z.object({ id: Id })
const Plan = z.object({ id: Id, name: z.string(), status: z.optional(z.string()) })
const Listed = z.object({ plans: z.optional(z.array(Plan)) })

/**
 * Creates the product and its plans at PayPal and returns PayPal's plan ids. Reuses existing plans. A price change
 * creates a new plan, because subscribers to the old plan keep their price.
 */
export async function createPlans(api: PaypalApi): Promise<Record<PaidTier, string>> {
  const product = { id: PRODUCT, name: 'Kinora', type: 'SERVICE', category: 'SOFTWARE' }
  await api.post('/v1/catalogs/products', z.unknown(), product, PRODUCT).catch((error) => {
    if (!(error instanceof PaypalRefusal) || error.issue !== 'DUPLICATE_RESOURCE_IDENTIFIER') throw error
  })
  const path = `/v1/billing/plans?${new URLSearchParams({ product_id: PRODUCT, page_size: '20' })}`
  const { plans = [] } = await api.get(path, Listed)
  const idOf = async (tier: PaidTier) => {
    const known = plans.find(({ name, status = 'ACTIVE' }) => name === nameOf(tier) && status === 'ACTIVE')
    return known?.id ?? (await createPlan(api, tier))
  }
  return { standard: await idOf('standard'), pro: await idOf('pro'), ultimate: await idOf('ultimate') }
}

const priceOf = (tier: PaidTier) => decimalOf(PLANS[tier].priceCents)
const nameOf = (tier: PaidTier) => `Kinora ${tier[0]!.toUpperCase()}${tier.slice(1)}, US$${priceOf(tier)} a month`

async function createPlan(api: PaypalApi, tier: PaidTier): Promise<string> {
  const monthly = {
    frequency: { interval_unit: 'MONTH', interval_count: 1 },
    tenure_type: 'REGULAR',
    sequence: 1,
    total_cycles: 0,
    pricing_scheme: { fixed_price: { value: priceOf(tier), currency_code: 'USD' } },
  }
  // A missed month costs nothing and grants nothing. Added to the next sale, it would change the amount of that sale.
  const onFailure = {
    auto_bill_outstanding: false,
    setup_fee_failure_action: 'CANCEL',
    payment_failure_threshold: 2,
  }
  const plan = {
    product_id: PRODUCT,
    name: nameOf(tier),
    status: 'ACTIVE',
    billing_cycles: [monthly],
    payment_preferences: onFailure,
  }
  const requestId = `${PRODUCT}-${tier}-${PLANS[tier].priceCents}`
  return (await api.post('/v1/billing/plans', Created, plan, requestId)).id
}
