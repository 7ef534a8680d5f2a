import type { z } from 'zod/mini'
import en from '#content/en/plans.json' with { type: 'json' }
import zh from '#content/zh/plans.json' with { type: 'json' }
import { type Facts, forInstallation } from '../kernel/http/site/forInstallation.ts'
import type { PlanConfiguration } from './contract.ts'
import { factOf, PLAN_FEATURES, PLANS, STANDARD_COST, type Tier } from './plans.contract.ts'

const PRIORITIES = { 1: 'highest', 2: 'high', 3: 'normal', 4: 'free' } as const

const fill = (text: string, values: Readonly<Record<string, unknown>>) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name) => String(values[name]))

function features(tier: Tier, { feature, tier: names }: typeof en, facts: Facts): string[] {
  const { credits, waiting, concurrent } = PLANS[tier]
  const { below, features } = PLAN_FEATURES[tier]
  const videos = Math.floor(credits / STANDARD_COST)
  return [
    fill(tier === 'free' ? feature.creditsOnce : feature.creditsMonthly, { credits, videos }),
    fill(feature.queue, { waiting, concurrent }),
    ...(below ? [fill(feature.everything, { plan: names[below].name })] : []),
    ...features.filter((key) => facts[factOf(key) ?? ''] !== 'off').map((key) => forInstallation(feature[key], facts)),
  ]
}

/** Returns a plan with texts in both languages. @param paypalPlanId null if PayPal does not bill this plan */
export function planConfiguration(
  tier: Tier,
  paypalPlanId: string | null,
  facts: Facts,
): z.infer<typeof PlanConfiguration> {
  const plan = PLANS[tier]
  return {
    tier,
    name: en.tier[tier].name,
    name_zh: zh.tier[tier].name,
    description: en.tier[tier].text,
    description_zh: zh.tier[tier].text,
    price_monthly: plan.priceCents,
    price_struck: plan.struckCents,
    currency: 'USD',
    price_monthly_cny: plan.priceFen,
    credits_monthly: tier === 'free' ? 0 : plan.credits,
    lifetime_quota: tier === 'free' ? plan.credits : null,
    max_concurrent_tasks: plan.concurrent,
    max_waiting_tasks: plan.waiting,
    priority: PRIORITIES[plan.priority],
    features: features(tier, en, facts),
    features_zh: features(tier, zh, facts),
    popular: plan.popular,
    paypal_plan_id_monthly: paypalPlanId,
  }
}
