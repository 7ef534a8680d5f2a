/** Returns the month of an instant in UTC, such as `2026-11`. */
export const monthOf = (at: string): string => at.slice(0, 7)

/** Returns the instant at which the month of another instant ends in UTC. */
export function monthEnd(at: string): string {
  const day = new Date(at)
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1)).toISOString()
}

/** Returns the id of a user's lot with the allowance of the instant's month. */
export const allowanceLot = (at: string): string => `allowance-${monthOf(at)}`
