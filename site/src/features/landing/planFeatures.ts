import { factOf, PLAN_FEATURES, PLANS, STANDARD_COST, type Tier } from '#backend/subscriptions/contract.ts'
import type { Translate } from '../../i18n/keys.ts'

interface Feature {
  readonly text: string
  /** The fact of the installations that have it; undefined if all have it. */
  readonly fact?: string | undefined
}

/** Returns the feature list of a plan, translated. */
export function planFeatures(tier: Tier, t: Translate, number: Intl.NumberFormat): Feature[] {
  const { credits, waiting, concurrent } = PLANS[tier]
  const { below, features } = PLAN_FEATURES[tier]
  const videos = number.format(Math.floor(credits / STANDARD_COST))
  const granted = t(`plans.feature.${tier === 'free' ? 'creditsOnce' : 'creditsMonthly'}`, {
    credits: number.format(credits),
    videos,
  })
  return [
    { text: granted },
    { text: t('plans.feature.queue', { waiting, concurrent }) },
    ...(below ? [{ text: t('plans.feature.everything', { plan: t(`plans.tier.${below}.name`) }) }] : []),
    ...features.map((feature) => ({
      text: t(`plans.feature.${feature}`),
      fact: factOf(feature) && `${feature}=on`,
    })),
  ]
}
