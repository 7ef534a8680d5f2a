import { PLAN_FEATURES, PLANS, STANDARD_COST, type Tier } from '#backend/subscriptions/contract.ts'
import type { Translate } from '../../i18n/keys.ts'

/** Returns the feature list of a plan as translated strings. */
export function planFeatures(tier: Tier, t: Translate, number: Intl.NumberFormat): string[] {
  const { credits, waiting, concurrent } = PLANS[tier]
  const { below, features } = PLAN_FEATURES[tier]
  const videos = number.format(Math.floor(credits / STANDARD_COST))
  return [
    t(`plans.feature.${tier === 'free' ? 'creditsOnce' : 'creditsMonthly'}`, {
      credits: number.format(credits),
      videos,
    }),
    t('plans.feature.queue', { waiting, concurrent }),
    ...(below ? [t('plans.feature.everything', { plan: t(`plans.tier.${below}.name`) })] : []),
    ...features.map((feature) => t(`plans.feature.${feature}`)),
  ]
}
