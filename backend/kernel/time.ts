/**
 * Real time in epoch milliseconds. Sessions, rate limits, leases and provider calls use it.
 * The optional `kind` keeps a Clock and a {@link Calendar} from being passed for each other; a plain function fits both.
 */
export type Clock = (() => number) & { readonly kind?: 'clock' }

/**
 * Business time in epoch milliseconds, movable in development (`POST /dev/clock`). Subscriptions, credits, mails and
 * retention use it. See docs/decisions/0010-clock-and-calendar.md.
 */
export type Calendar = (() => number) & { readonly kind?: 'calendar' }

/**
 * Returns the same day and time some months later, in UTC, or the last day of that month if it is shorter.
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
