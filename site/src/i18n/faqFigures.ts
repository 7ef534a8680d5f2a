import { PLANS, STANDARD_COST, TIERS } from '#backend/subscriptions/contract.ts'
import { HTML_LANG, type Locale } from './core.ts'
import type { Translate } from './keys.ts'
import { advertisedPrice, money } from './money.ts'

/**
 * Returns a function that fills the placeholders of an answer, such as `{{pro.credits}}`, with what the form and the plans
 * say. @throws if one is unknown
 */
export function faqFigures(locale: Locale, t: Translate): (text: string) => string {
  const number = new Intl.NumberFormat(HTML_LANG[locale])
  const plans = TIERS.map((tier) => {
    const { credits, waiting, concurrent, priceCents } = PLANS[tier]
    return [
      [`${tier}.price`, advertisedPrice(tier, locale)],
      [`${tier}.charged`, money(priceCents, 'USD', locale)],
      [`${tier}.credits`, number.format(credits)],
      [`${tier}.videos`, number.format(Math.floor(credits / STANDARD_COST))],
      [`${tier}.queue`, t('plans.feature.queue', { waiting, concurrent })],
    ] as const
  })
  const values = new Map<string, string>([...plans.flat(), ['image.rules', t('workspace.image.rules')]])
  return (text) =>
    text.replace(/\{\{([\w.]+)\}\}/g, (_, name: string) => {
      const value = values.get(name)
      if (value === undefined) throw new Error(`no figure is named ${name}`)
      return value
    })
}
