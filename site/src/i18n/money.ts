import { PLANS, type Tier } from '#backend/subscriptions/contract.ts'
import { HTML_LANG, type Locale } from './core.ts'

/** An amount in the reader's way of writing it. @param cents the currency's smallest unit */
export const money = (cents: number, currency: string, locale: Locale): string =>
  new Intl.NumberFormat(HTML_LANG[locale], { style: 'currency', currency }).format(cents / 100)

/** What a plan is advertised for: in yuan on Chinese pages. */
export const advertisedPrice = (tier: Tier, locale: Locale): string =>
  locale === 'zh'
    ? `¥${new Intl.NumberFormat(HTML_LANG.zh).format(PLANS[tier].priceFen / 100)}`
    : money(PLANS[tier].priceCents, 'USD', locale)
