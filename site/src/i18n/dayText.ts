import { pageLocale } from './client.ts'
import { HTML_LANG } from './core.ts'

/** Formats the date of a timestamp in the page's language. @param iso ISO 8601 timestamp */
export const dayText = (iso: string, style: 'long' | 'medium' = 'long'): string =>
  new Intl.DateTimeFormat(HTML_LANG[pageLocale()], { dateStyle: style }).format(Date.parse(iso))
