/**
 * Returns real time in epoch milliseconds, for sessions, rate limits, leases and provider calls.
 * The optional `kind` keeps Clock and {@link Calendar} from being interchanged; plain functions are assignable to both.
 */
export type Clock = (() => number) & { readonly kind?: 'clock' }

/**
 * Returns business time in epoch milliseconds, for subscriptions, credits, emails and retention. In development,
 * `POST /dev/clock` moves it ahead. See docs/decisions/0010-clock-and-calendar.md.
 */
export type Calendar = (() => number) & { readonly kind?: 'calendar' }

/**
 * Adds months to an instant, in UTC. Uses the last day of the resulting month if that month has no such day.
 * @example monthsAfter('2026-01-31T12:00:00.000Z', 1) // '2026-02-28T12:00:00.000Z'
 */
export function monthsAfter(instant: string, months: number): string {
  const date = new Date(instant)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.toISOString()
}
