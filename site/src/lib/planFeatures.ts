import { PLANS, type Tier } from '#backend/subscriptions/contract.ts'
import type { Key, Translate } from '../i18n/keys.ts'

/** A standard video costs 30 credits. */
const STANDARD_COST = 30

type Feature = Key extends infer K ? (K extends `plans.feature.${infer F}` ? F : never) : never

/** What each tier has beside its credits and its queue; a tier above the first paid one has all of the one below. */
const OWN: Readonly<Record<Tier, { readonly below?: Tier; readonly features: readonly Feature[] }>> = {
  free: { features: ['hd', 'movements', 'watermark', 'personal', 'supportCommunity'] },
  standard: { features: ['priorityNormal', 'fullHd', 'movements', 'clean', 'commercial', 'supportEmail'] },
  pro: { below: 'standard', features: ['priorityHigh', 'supportPriority', 'early'] },
  ultimate: { below: 'pro', features: ['priorityHighest', 'supportDedicated', 'integrations', 'team'] },
}

/** What a plan offers, a line each, with the numbers of the plan table. */
export function planFeatures(tier: Tier, t: Translate, number: Intl.NumberFormat): string[] {
  const { credits, waiting, concurrent } = PLANS[tier]
  const { below, features } = OWN[tier]
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
