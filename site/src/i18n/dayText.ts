import { HTML_LANG, type Locale } from './core.ts'

/** Formats the day of an instant. @param iso ISO 8601 */
export const dayText = (iso: string, locale: Locale, style: 'long' | 'medium' = 'long'): string =>
  new Intl.DateTimeFormat(HTML_LANG[locale], { dateStyle: style }).format(Date.parse(iso))
