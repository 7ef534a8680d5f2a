import { pageLocale } from '../../i18n/client.ts'
import { HTML_LANG, type Locale } from '../../i18n/core.ts'

const format = (locale: Locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(HTML_LANG[locale], options)

/** Rounds to one decimal place. Adding 0 turns -0 into 0. */
const tenths = (value: number) => Math.round(value * 10) / 10 + 0

export const numberText = (value: number, locale: Locale = pageLocale()): string => format(locale, {}).format(value)

/** Formats an average, to one decimal below ten, so that a small one does not look like none. */
export const averageText = (value: number, locale: Locale = pageLocale()): string =>
  numberText(value < 10 ? tenths(value) : Math.round(value), locale)

/** Formats a number in compact notation for chart axes, such as 1.2M. */
export const shortNumber = (value: number, locale: Locale = pageLocale()): string =>
  format(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value)

/** Formats a percentage. @param percent 83.5 for 83.5% */
export const percentText = (percent: number, locale: Locale = pageLocale()): string =>
  format(locale, { style: 'percent', minimumFractionDigits: 1 }).format(tenths(percent) / 100)

/** Formats a percentage with its sign. @param percent -3.2 for -3.2% */
export const growthText = (percent: number, locale: Locale = pageLocale()): string =>
  format(locale, { style: 'percent', minimumFractionDigits: 1, signDisplay: 'always' }).format(tenths(percent) / 100)

export const trendOf = (percent: number): 'up' | 'down' | 'flat' => {
  const shown = tenths(percent)
  if (shown === 0) return 'flat'
  return shown > 0 ? 'up' : 'down'
}

/** Formats a date as month and day. @param day `YYYY-MM-DD` */
export const shortDay = (day: string, locale: Locale = pageLocale()): string =>
  new Intl.DateTimeFormat(HTML_LANG[locale], { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    Date.parse(`${day}T00:00:00Z`),
  )

/** Formats an hour of the day from 0 to 23, such as 09:00. */
export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

type Parts = 'time' | 'minute' | 'full'
const STYLE: Readonly<Record<Parts, Intl.DateTimeFormatOptions>> = {
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  minute: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  full: { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' },
}

/** Formats an ISO 8601 time in a time zone. @param zone IANA name; falls back to UTC if unknown */
export function timeText(iso: string, zone: string, parts: Parts, locale: Locale = pageLocale()): string {
  const at = Date.parse(iso)
  if (Number.isNaN(at)) return iso
  return new Intl.DateTimeFormat(HTML_LANG[locale], { ...STYLE[parts], timeZone: knownZone(zone) }).format(at)
}

/** Returns the date of an instant in a time zone, as `YYYY-MM-DD`. @param at Unix milliseconds */
export const dayOf = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone: knownZone(zone) }).format(at)

/** Returns a time zone that the browser knows: UTC in place of others. */
export function knownZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}
