import { addDays, type DayRange } from '../kernel/days.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { Calendar, Clock } from '../kernel/time.ts'
import { KEPT_DAYS, type Period } from './contract.ts'

/** Time sources of the dashboard: days follow the calendar in `timeZone`, task ages follow the clock. */
export type BoardTime = Readonly<{ timeZone: string; clock: Clock; calendar: Calendar; today: () => string }>

const WEEK = 7

const isDay = (text: string) => {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) && text >= '2000-01-01' && text < '9000-01-01'
}

/** Returns the requested days, by default the last seven, including today. @throws ValidationError naming the field */
export function daysOf({ from, to }: Period, today: string): DayRange {
  for (const [path, day] of Object.entries({ from, to }))
    if (day !== undefined && !isDay(day)) throw new ValidationError([{ path, code: 'invalid_date' }])
  const last = to ?? today
  const first = from ?? addDays(last, 1 - WEEK)
  if (first > last) throw new ValidationError([{ path: from === undefined ? 'to' : 'from', code: 'period_reversed' }])
  if (addDays(first, KEPT_DAYS - 1) < last) throw new ValidationError([{ path: 'from', code: 'period_too_long' }])
  return { from: first, to: last }
}
