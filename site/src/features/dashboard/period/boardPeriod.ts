import { KEPT_DAYS, type Period } from '#backend/operators/contract.ts'

export const PRESETS = [7, 30, 90] as const
type Preset = (typeof PRESETS)[number]

/** Number of days up to and including today, or a custom range of `YYYY-MM-DD` dates. */
export type Choice = { readonly last: Preset } | { readonly from: string; readonly to: string }

const DAY_MS = 86_400_000

/** Subtracts days from a date. @param day `YYYY-MM-DD` */
const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10)

export const firstKept = (today: string): string => daysBefore(today, KEPT_DAYS - 1)

/** Returns the query parameters of a period. They are empty for seven days, the server's default. */
export function queryOf(choice: Choice, today: string): Period {
  if (!('last' in choice)) return choice
  return choice.last === 7 ? {} : { from: daysBefore(today, choice.last - 1), to: today }
}

/** Returns why a custom range is invalid, or undefined if it is valid. */
export function faultOf(from: string, to: string, today: string): 'incomplete' | 'reversed' | 'outside' | undefined {
  if (!from || !to) return 'incomplete'
  if (from > to) return 'reversed'
  return from < firstKept(today) || to > today ? 'outside' : undefined
}
