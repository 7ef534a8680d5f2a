import { ValidationError } from '../kernel/http/problemDetails.ts'
import { KEPT_DAYS, type Period } from './contract.ts'
import { daysAfter } from './operatorDays.ts'

/** From the first to the last day, both included. */
export interface Days {
  readonly from: string
  readonly to: string
}

const WEEK = 7

const isDay = (text: string) => {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) && text >= '2000-01-01' && text < '9000-01-01'
}

/** The days that were asked for. @throws ValidationError naming the field */
export function daysOf({ from, to }: Period, today: string): Days {
  for (const [path, day] of Object.entries({ from, to }))
    if (day !== undefined && !isDay(day)) throw new ValidationError([{ path, code: 'invalid_date' }])
  const last = to ?? today
  const first = from ?? daysAfter(last, 1 - WEEK)
  if (first > last) throw new ValidationError([{ path: from === undefined ? 'to' : 'from', code: 'period_reversed' }])
  if (daysAfter(first, KEPT_DAYS - 1) < last) throw new ValidationError([{ path: 'from', code: 'period_too_long' }])
  return { from: first, to: last }
}
