import { catalogues } from './catalogue.ts'
import { DEFAULT_LOCALE, HTML_LANG, LOCALES, localeOf, localizedPath, translator } from './core.ts'
import type { Translate } from './keys.ts'

/** Returns the parameters that build a page at `/…` and `/zh/…`. */
export const getStaticPaths = () =>
  LOCALES.map((locale) => ({ params: { locale: locale === DEFAULT_LOCALE ? undefined : locale } }))

/** Returns the page's language, its translator, and a function for paths in that language. */
export function pageLanguage(astro: { currentLocale?: string | undefined }) {
  const locale = localeOf(astro.currentLocale)
  const t: Translate = translator(catalogues[locale], locale)
  return { locale, t, lang: HTML_LANG[locale], href: (path: string) => localizedPath(path, locale) }
}
