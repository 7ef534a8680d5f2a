export const TIERS = ['free', 'standard', 'pro', 'ultimate'] as const
export type Tier = (typeof TIERS)[number]

/** Prices are monthly, in US cents and Chinese fen. */
export interface Plan {
  readonly tier: Tier
  readonly priceCents: number
  readonly struckCents: number | null
  readonly priceFen: number
  /** Credits granted each month; on the Free plan, once. */
  readonly credits: number
  /** Maximum number of queued tasks. */
  readonly waiting: number
  /** Maximum number of tasks rendered in parallel. */
  readonly concurrent: number
  /** Queue priority, from 1 (first) to 4 (last). */
  readonly priority: 1 | 2 | 3 | 4
  readonly watermark: boolean
  readonly popular: boolean
}

const PRICES = {
  free: { priceCents: 0, struckCents: null, priceFen: 0 },
  standard: { priceCents: 1299, struckCents: 1499, priceFen: 8900 },
  pro: { priceCents: 4499, struckCents: 5499, priceFen: 30900 },
  ultimate: { priceCents: 12999, struckCents: 14999, priceFen: 89900 },
}

const LIMITS = {
  free: { credits: 60, waiting: 1, concurrent: 1, priority: 4 },
  standard: { credits: 1000, waiting: 2, concurrent: 2, priority: 3 },
  pro: { credits: 4500, waiting: 3, concurrent: 2, priority: 2 },
  ultimate: { credits: 15000, waiting: 5, concurrent: 2, priority: 1 },
} as const

export const PLANS: Readonly<Record<Tier, Plan>> = {
  free: { tier: 'free', ...PRICES.free, ...LIMITS.free, watermark: true, popular: false },
  standard: { tier: 'standard', ...PRICES.standard, ...LIMITS.standard, watermark: false, popular: false },
  pro: { tier: 'pro', ...PRICES.pro, ...LIMITS.pro, watermark: false, popular: true },
  ultimate: { tier: 'ultimate', ...PRICES.ultimate, ...LIMITS.ultimate, watermark: false, popular: false },
}

/** Returns the maximum number of open tasks, queued or rendering. */
export const openTaskLimit = (tier: Tier): number => PLANS[tier].waiting + PLANS[tier].concurrent

/** Keys of each tier's feature texts, except those for credits and queue. A tier includes the features of `below`. */
export const PLAN_FEATURES = {
  free: { below: undefined, features: ['hd', 'movements', 'watermark', 'personal', 'supportCommunity'] },
  standard: {
    below: undefined,
    features: ['priorityNormal', 'fullHd', 'movements', 'clean', 'commercial', 'supportEmail'],
  },
  pro: { below: 'standard', features: ['priorityHigh', 'ultraHd', 'supportPriority', 'early'] },
  ultimate: { below: 'pro', features: ['priorityHighest', 'dedicated', 'integrations', 'team'] },
} as const satisfies Readonly<Record<Tier, { readonly below: Tier | undefined; readonly features: readonly string[] }>>

/**
 * Features that are a person's work or a promise, so that only an operator can offer them: `PLAN_OFFERS` names those that an
 * installation has. See docs/decisions/0080-sign-in-by-others.md.
 */
export const OFFERS = ['early', 'dedicated', 'integrations'] as const

/** Returns the fact of an installation on which a feature of the plans depends; undefined if all have it. `TEAM_SEATS` decides about teams. */
export const factOf = (feature: string): string | undefined => [...OFFERS, 'team'].find((fact) => fact === feature)

/** Cost of a standard video in credits. */
export const STANDARD_COST = 30

export type Allowance = ReturnType<typeof allowanceOf>

/** Returns the limits and options of a plan. Priority 1 is served first. */
export function allowanceOf(tier: Tier) {
  const { concurrent, priority, watermark } = PLANS[tier]
  const [fullHd, team] = [tier !== 'free', tier === 'ultimate']
  return { openTasks: openTaskLimit(tier), concurrent, priority, fullHd, watermark, team }
}
