import { HTML_LANG, type Locale } from './core.ts'
import type { Translate } from './keys.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Formats an ISO 8601 time relative to `now`, in milliseconds, or as a date if it is a week or more ago. */
export function timeAgo(iso: string, now: number, t: Translate, locale: Locale): string {
  const then = Date.parse(iso)
  const age = now - then
  if (age < MINUTE) return t('common.time.now')
  if (age < HOUR) return t('common.time.minutes', { count: Math.floor(age / MINUTE) })
  if (age < DAY) return t('common.time.hours', { count: Math.floor(age / HOUR) })
  if (age < 7 * DAY) return t('common.time.days', { count: Math.floor(age / DAY) })
  return new Intl.DateTimeFormat(HTML_LANG[locale], { dateStyle: 'medium' }).format(then)
}
