import { PLANS, TIERS } from '#backend/subscriptions/contract.ts'
import { HTML_LANG, type Locale, localizedPath } from '../../i18n/core.ts'
import type { Translate } from '../../i18n/keys.ts'

/** Returns the JSON-LD entities of the landing page: the organization and the application, with its offers if it has plans. */
export function landingData(site: URL, locale: Locale, t: Translate, plans: 'on' | 'off') {
  const home = new URL(localizedPath('/', locale), site).href
  const organization = {
    '@type': 'Organization',
    name: t('common.brand'),
    url: new URL('/', site).href,
    logo: new URL('/icon-512.png', site).href,
  }
  const offers = TIERS.map((tier) => ({
    '@type': 'Offer',
    name: t(`plans.tier.${tier}.name`),
    description: t(`plans.tier.${tier}.text`),
    price: ((locale === 'zh' ? PLANS[tier].priceFen : PLANS[tier].priceCents) / 100).toFixed(2),
    priceCurrency: locale === 'zh' ? 'CNY' : 'USD',
    url: `${home}#pricing-section`,
  }))
  const application = {
    '@type': 'SoftwareApplication',
    name: t('common.brand'),
    description: t('landing.metaDescription'),
    url: home,
    inLanguage: HTML_LANG[locale],
    image: new URL(`/og/home-${locale}.jpg`, site).href,
    applicationCategory: 'MultimediaApplication',
    operatingSystem: 'Web',
    ...(plans === 'on' ? { offers } : {}),
  }
  return [organization, application]
}
