import { HTML_LANG, type Locale } from './core.ts'

/** A day in words. @param iso an instant */
export const dayText = (iso: string, locale: Locale, style: 'long' | 'medium' = 'long'): string =>
  new Intl.DateTimeFormat(HTML_LANG[locale], { dateStyle: style }).format(Date.parse(iso))
