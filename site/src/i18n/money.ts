import { PLANS, type Tier } from '#backend/subscriptions/contract.ts'
import { HTML_LANG, type Locale } from './core.ts'

/** Formats an amount. @param cents hundredths of the currency unit */
export const money = (cents: number, currency: string, locale: Locale): string =>
  new Intl.NumberFormat(HTML_LANG[locale], { style: 'currency', currency }).format(cents / 100)

/** Returns a plan's advertised price: dollars, or yuan on Chinese pages. */
export const advertisedPrice = (tier: Tier, locale: Locale): string =>
  locale === 'zh'
    ? `¥${new Intl.NumberFormat(HTML_LANG.zh).format(PLANS[tier].priceFen / 100)}`
    : money(PLANS[tier].priceCents, 'USD', locale)
